import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import https from "node:https";
import { json } from "node:stream/consumers";
import { mockQueueApi } from "@queue-api/testkit/msw";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
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
  it("an unknown option is refused when the mock is created", () => {
    expect(() => mockQueueApi({ foo: 1 } as never)).toThrow("no such option: foo; the options are");
  });

  it("the global fetch reaches the mocked service", async () => {
    const first = await globalCaller().create("front", "key-0001");
    const again = await globalCaller().create("front", "key-0001");
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

  it("a handler in front of the mock's handlers takes precedence", async () => {
    server.use(http.get(`${mock.baseUrl}/v1/me`, () => HttpResponse.json({ data: "mine" })));
    expect(await (await globalCaller().get("/v1/me")).json()).toEqual({ data: "mine" });
    expect((await globalCaller().get("/v1/queues")).status).toBe(200);
  });

  it("connection faults fail like fetch and like Node's client", async () => {
    mock.faults.next("*", "reset-after-commit", { times: 2 });
    await expect(globalCaller().create("front")).rejects.toThrow(TypeError);
    const request = https.get(`${mock.baseUrl}/v1`);
    await expect(once(request, "response")).rejects.toThrow();
    expect(mock.requests.map(({ status }) => status)).toEqual([null, null]);
  });

  it("a truncated response fails while its body is read", async () => {
    mock.faults.next("GET /v1/me", "truncated");
    const answer = await globalCaller().get("/v1/me");
    await expect(answer.json()).rejects.toThrow();
  });

  it("an aborted request fails with the caller's reason and leaves nothing behind", async () => {
    mock.faults.next("*", "slow", { by: "1h" });
    const reason = new Error("the customer went away");
    const controller = new AbortController();
    const response = fetch(`${mock.baseUrl}/v1`, { signal: controller.signal });
    controller.abort(reason);
    await expect(response).rejects.toBe(reason);
  });
});
