import { inspect } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Logger, QueueApi, type QueueApiError } from "../../sdk/src/index.js";
import { anEntry, anError, apiKey, customer1, giving, queueId } from "./support/examples.js";
import { World } from "./support/world.js";

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const ofKey = [apiKey, apiKey.slice(-13)];
const secrets = [...ofKey, customer1.name, customer1.phone, "919800000001"];

/** Every way in which a value can be shown. */
function shown(value: unknown): string {
  return [
    inspect(value, { depth: 20, showHidden: true }),
    JSON.stringify(value),
    String(value),
    value instanceof Error ? value.stack : "",
  ].join("\n");
}

function expectNoSecret(value: unknown, hidden = secrets) {
  for (const secret of hidden) expect(shown(value)).not.toContain(secret);
}

/** A client that records all its output. */
function observing(fetch: Fetch) {
  const observed: unknown[] = [];
  const observe = (...args: unknown[]) => void observed.push(...args);
  const hooks = { onRequest: observe, onResponse: observe, onWait: observe };
  const logger: Logger = { debug: observe, info: observe, warn: observe, error: observe };
  return { world: new World({ fetch, hooks, logger }), observed };
}

/** A response that repeats the key in each of its parts. */
function echo(status: number): Fetch {
  const headers = { "X-Request-Id": apiKey, "X-Echo": apiKey, "Content-Type": `text/${apiKey}` };
  const details = [{ field: apiKey, message: `not ${apiKey}` }];
  const texts = { message: apiKey, requestId: apiKey, docUrl: apiKey };
  const error = { code: "invalid_request", ...texts, details };
  return async () => new Response(JSON.stringify({ error }), { status, headers });
}

/** A failed connection whose cause has the key. */
function failing(held: object): Fetch {
  const cause = Object.assign(new Error("other side closed", { cause: held }), held);
  return () => Promise.reject(new TypeError("fetch failed", { cause }));
}

const authorization = `Bearer ${apiKey}`;
const inHeaders = {
  "X-Echo": JSON.stringify(customer1),
  "X-Name": customer1.name,
  "X-Phone": "919800000001", // as the service stores it
};

describe("the key and the body stay out of", () => {
  test("the client itself", () => {
    const { api } = new World({});
    for (const part of [api, api.me, api.entries, api.entries.list(queueId)]) expectNoSecret(part);
  });

  test.each<[string, Fetch]>([
    ["a refusal", giving(anError("queue_paused"), { status: 409 })],
    ["a response of the wrong shape", giving({ data: { ...customer1 } })],
    ["a response that is not JSON", async () => new Response(`${customer1.name}, ${apiKey}`)],
    ["a gateway's page", async () => new Response(apiKey, { status: 503 })],
    ["a redirect", giving({}, { status: 302, headers: { Location: apiKey } })],
    ["a failed connection", async () => Promise.reject(new TypeError("fetch failed"))],
    ["an error of the service that repeats the key", echo(400)],
    ["a response of a gateway that repeats the key", echo(503)],
    ["a success of the wrong shape that repeats the key", echo(200)],
    ["a refusal with the body in its headers", giving({}, { status: 409, headers: inHeaders })],
    [
      "a gateway that repeats the body in its headers",
      async () => new Response("blocked", { status: 403, headers: inHeaders }),
    ],
    [
      "a fetch that quotes the request",
      async (url, init) => {
        const request = new Request(url, { headers: new Headers(init.headers) });
        const cause = Object.assign(new Error(`sent ${authorization}`), { request, init });
        throw new TypeError(`failed: ${init.body}`, { cause });
      },
    ],
    ["a cause with them in a symbol", failing({ [Symbol("sent")]: { authorization } })],
    ["a cause with them in a Map", failing({ sent: new Map([["authorization", authorization]]) })],
    ["a cause with them deep inside", failing({ a: { b: { c: { d: { authorization } } } } })],
    ["a cause of several errors", failing(new AggregateError([new Error(authorization)]))],
  ])("the events and the error of %s", async (_, fetch) => {
    const { world, observed } = observing(fetch);
    const failure = await world.failure(world.api.entries.create(queueId, customer1));
    expect(failure).toBeInstanceOf(Error);
    expect(observed.length).toBeGreaterThan(2);
    for (const value of [failure, ...observed]) expectNoSecret(value);
    expectNoSecret(await world.failure(world.api.services.list()), ofKey);
  });

  test("an error whose cause quotes a part of the body as a JSON text", async () => {
    const person = { ...customer1, name: 'Customer "1"' };
    const fetch: Fetch = (_, { body }) =>
      failing(new Error(`sent ${JSON.stringify(String(body).slice(1))}`))("", {});
    const { world } = observing(fetch);
    const error = await world.failure(world.api.entries.create(queueId, person));
    expect(error).toMatchObject({ cause: { cause: { message: "other side closed" } } });
    expect(shown(error)).not.toMatch(/Customer|98000/);
  });

  test("the error and the log of a call whose arguments are wrong", async () => {
    const { world, observed } = observing(giving({}));
    const person = { name: `${"x".repeat(200)}${apiKey}`, phone: apiKey };
    const { entries } = world.api;
    const calls = [
      entries.get(apiKey),
      entries.create(apiKey, person),
      entries.create(queueId, person, { idempotencyKey: `${apiKey}!` }),
      entries.create(queueId, customer1, { idempotencyKey: customer1.phone }),
    ];
    const errors = await Promise.all(calls.map((call) => world.failure(call)));
    for (const error of errors) expectNoSecret(error);
    expect(observed).toHaveLength(8); // a line and its fields for each
    expectNoSecret(observed);
  });

  test("a success and its log", async () => {
    const { world, observed } = observing(
      giving({ data: anEntry() }, { headers: { "X-Request-Id": apiKey } }),
    );
    const { requestId } = await world.api.entries.get(queueId).withResponse();
    for (const value of [requestId, ...observed]) expectNoSecret(value);
  });

  test.each(["code", "message", "requestId", "docUrl", "field", "reason", "required"])(
    "the error of a gateway that repeats the body as its %s",
    async (place) => {
      const fetch: Fetch = async (_, { body }) => {
        const text = (name: string) => (name === place ? `x ${body} ${customer1.name}` : "blocked");
        const texts = ["code", "message", "requestId", "docUrl"].map((name) => [name, text(name)]);
        const details = [{ field: text("field"), message: text("reason") }];
        const isOfDetail = place === "field" || place === "reason";
        const lists = { required: [text("required")], details: isOfDetail ? details : [] };
        return Response.json(
          { error: { ...Object.fromEntries(texts), ...lists } },
          { status: 403 },
        );
      };
      const { world, observed } = observing(fetch);
      const failure = await world.failure(world.api.entries.create(queueId, customer1));
      expect(failure).toMatchObject({ name: "PermissionError" });
      expect(shown(failure)).toContain("[hidden]");
      for (const value of [failure, ...observed]) expectNoSecret(value);
    },
  );

  test("an error of the service keeps its texts, of which a short name can be a part", async () => {
    const details = [{ field: "name", message: "is required" }];
    const wrong = anError("invalid_request", { details, required: ["queue:write"] });
    const paused = anError("queue_paused");
    for (const name of ["The", "queue", "name", "required"]) {
      const person = { ...customer1, name };
      const { message: _, ...fields } = wrong.error;
      const refused = new World({ fetch: giving(wrong, { status: 400 }) });
      const error = await refused.failure(refused.api.entries.create(queueId, person));
      expect(error).toMatchObject(fields);
      expect((error as Error).message).not.toContain("hidden");
      const { api } = new World({ fetch: giving(paused, { status: 409 }) });
      await expect(api.entries.create(queueId, person)).rejects.toThrow(paused.error.message);
    }
  });

  test("no other text if the key is too short", async () => {
    const { api } = new World({
      apiKey: "o",
      fetch: giving(anError("not_found"), { status: 404 }),
    });
    await expect(api.queues.get(queueId)).rejects.toThrow(
      "queues.get: 404 not_found: There is no such resource.",
    );
  });

  test("a short name is left in what no body is echoed in", async () => {
    const headers = { Date: "Sat, 02 May 2026 10:00:00 GMT", "Content-Type": "text/html" };
    const { world } = observing(async () => new Response("blocked", { status: 403, headers }));
    for (const name of ["May", "html"]) {
      const error = await world.failure(world.api.entries.create(queueId, { ...customer1, name }));
      expect(error).toMatchObject({ message: expect.stringContaining("(403, text/html)") });
      expect((error as QueueApiError).headers?.get("date")).toBe(headers.Date);
    }
  });

  test("a cause is passed on as a copy of its name, message, code, stack and cause", async () => {
    const code = "UND_ERR_SOCKET";
    const inner = Object.assign(new Error("other side closed"), { code, port: 1 });
    const cause = new TypeError("fetch failed", { cause: inner });
    const { world } = observing(() => Promise.reject(cause));
    const failure = await world.failure(world.api.entries.get(queueId));
    const copied = (failure as Error).cause as Error;
    const { name, message, stack } = cause;
    expect(copied).toMatchObject({ name, message, stack });
    expect(copied.cause).toMatchObject({ message: inner.message, code });
    expect(copied.cause).not.toHaveProperty("port");
  });
});

test.each(["a\nb", "a b", "schlüssel", "a\u0000"])(
  "a key that is not a valid header value: %j is refused, and the message does not contain it",
  (bad) => {
    const make = () => new QueueApi({ apiKey: bad, baseUrl: "http://queue.example" });
    expect(make).toThrow("contains an invalid character");
    expect(make).not.toThrow(bad);
  },
);

describe("a browser", () => {
  afterEach(() => vi.unstubAllGlobals());

  test("is refused, but not a test of Node with a document", () => {
    const options = { apiKey, baseUrl: "http://queue.example" };
    vi.stubGlobal("window", { document: {} });
    expect(new QueueApi(options)).toBeInstanceOf(QueueApi);
    vi.stubGlobal("process", undefined);
    expect(() => new QueueApi(options)).toThrow("The Queue API is for servers");
  });
});
