import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import https from "node:https";
import { json } from "node:stream/consumers";
import { routes } from "@queue-api/contract";
import { mockQueueApi } from "@queue-api/testkit/msw";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { caller, customer } from "./caller.js";

const mock = mockQueueApi();
const server = setupServer(...mock.handlers);
beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterEach(() => {
  server.resetHandlers();
  mock.reset();
});
afterAll(() => server.close());

const globalCaller = () => caller(mock, mock.key(), (url, init) => fetch(url, init));

describe("under msw", () => {
  it("the global fetch reaches the mocked service", async () => {
    const first = await globalCaller().create("key-0001");
    const again = await globalCaller().create("key-0001");
    expect([first.status, again.headers.get("Idempotent-Replay")]).toEqual([201, "true"]);
    expect(await again.json()).toEqual(await first.json());
  });

  it("Node's HTTP client reaches the mocked service", async () => {
    const request = https.request(`${mock.baseUrl}/v1/queues/${mock.ids.queue("front")}/entries`, {
      method: "POST",
      headers: { Authorization: `Bearer ${mock.key()}`, "Content-Type": "application/json" },
    });
    request.end(JSON.stringify(customer));
    const [answer] = (await once(request, "response")) as [IncomingMessage];
    expect([answer.statusCode, answer.headers["api-version"]]).toEqual([201, "v1"]);
    expect(await json(answer)).toMatchObject({ data: { token: "A5" } });
  });

  it("a body on a GET is refused as by the service, although msw drops it", async () => {
    const headers = { Authorization: `Bearer ${mock.key()}`, "Content-Length": 2 };
    const request = https.request(`${mock.baseUrl}/v1/me`, { headers });
    request.end("{}");
    const [answer] = (await once(request, "response")) as [IncomingMessage];
    expect(await json(answer)).toMatchObject({ error: { details: [{ field: "body" }] } });
  });

  it("each operation has a handler, and the last one has what is left", () => {
    const { baseUrl, handlers } = mockQueueApi({ baseUrl: "https://clinic.example:8443/queue/" });
    const operations = Object.values(routes).flatMap((noun) => Object.values(noun));
    expect(handlers.map(({ info }) => info.header)).toEqual([
      ...operations.map(({ method, path }) => `${method} ${baseUrl}${path}`),
      `/.+/ ${baseUrl}/*`,
    ]);
  });

  it("the handler of the operation responds, also to HEAD, and 404 without one", async () => {
    const { baseUrl } = mock;
    const seen: string[] = [];
    const listen = ({ request }: { request: Request }) => seen.push(request.method);
    server.events.on("request:match", listen);
    const headers = { Authorization: `Bearer ${mock.key()}` };
    expect((await globalCaller().get("/v1/me?date=2026-11-21")).status).toBe(400);
    expect((await fetch(`${baseUrl}/v1/me`, { method: "HEAD", headers })).status).toBe(200);
    for (const path of ["/v1/nothing", "/v1/me/", "/V1/me", "/v2/me", ""]) {
      const answer = await globalCaller().get(path);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(await answer.json()).toMatchObject({ error: { code: "not_found" } });
    }
    expect((await fetch(`${baseUrl}/v1/me`, { method: "PUT", headers })).status).toBe(404);
    expect(seen).toHaveLength(8);
  });

  it("a test replaces the handler of one operation", async () => {
    server.use(
      http.post<{ queueId: string }>(
        `${mock.baseUrl}/v1/queues/:queueId/entries`,
        ({ params }) => HttpResponse.json({ mine: params.queueId }),
        { once: true },
      ),
    );
    const front = mock.ids.queue("front");
    expect(await (await globalCaller().create()).json()).toEqual({ mine: front });
    expect((await globalCaller().get("/v1/queues")).status).toBe(200);
    expect((await globalCaller().create()).status).toBe(201);
  });

  it("a handler in front that reads the body and does not respond is told to clone the request", async () => {
    const path = `${mock.baseUrl}/v1/queues/:queueId/entries`;
    const log = vi.spyOn(console, "error").mockReturnValue();
    server.use(http.post(path, async ({ request }) => void (await request.text())));
    const answer = await globalCaller().create();
    expect([answer.status, await answer.text()]).toEqual([
      500,
      expect.stringContaining("read the body of request.clone()"),
    ]);
    expect(mock.requests).toEqual([]);
    log.mockRestore();
    server.resetHandlers();
    server.use(http.post(path, async ({ request }) => void (await request.clone().text())));
    expect((await globalCaller().create()).status).toBe(201);
  });

  it.each(["http://[::1]:3000", "http://localhost:3000/queue", "https://clinic.example/a+b/(c):d"])(
    "the handlers work at %s",
    async (baseUrl) => {
      const other = mockQueueApi({ baseUrl });
      server.use(...other.handlers);
      const headers = { Authorization: `Bearer ${other.key()}` };
      const paths = [`/v1/queues/${other.ids.queue("front")}`, "/v1/nothing"];
      const answers = await Promise.all(paths.map((path) => fetch(baseUrl + path, { headers })));
      expect(answers.map(({ status }) => status)).toEqual([200, 404]);
    },
  );

  it("connection faults fail like fetch and like Node's client", async () => {
    mock.faults.next("*", "reset-after-commit", { times: 2 });
    await expect(globalCaller().create()).rejects.toThrow(TypeError);
    const request = https.get(`${mock.baseUrl}/v1`);
    await expect(once(request, "response")).rejects.toThrow();
    expect(mock.requests.map(({ status }) => status)).toEqual([null, null]);
    mock.down({ for: "60s" });
    await expect(globalCaller().create()).rejects.toThrow(TypeError);
    mock.clock.advance("60s");
    mock.faults.next("GET /v1/me", "truncated");
    const answer = await globalCaller().get("/v1/me");
    await expect(answer.json()).rejects.toThrow();
  });
});
