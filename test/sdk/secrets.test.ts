import { inspect } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Hooks } from "../../sdk/src/hooks.js";
import { type Logger, QueueApi, type QueueApiError } from "../../sdk/src/index.js";
import { anEntry, anError, apiKey, customer1, queueId } from "./support/examples.js";
import { VirtualClock } from "./support/virtual-clock.js";

const secrets = [apiKey, apiKey.slice(-13), customer1.name, customer1.phone, "919800000001"];

/** Every way in which a value can be shown. */
function shown(value: unknown): string {
  return [
    inspect(value, { depth: 20, showHidden: true }),
    JSON.stringify(value),
    String(value),
    value instanceof Error ? value.stack : "",
  ].join("\n");
}

function expectNoSecret(value: unknown) {
  for (const secret of secrets) expect(shown(value)).not.toContain(secret);
}

/** A client that records all its output, and the errors of its calls. */
async function failureOf(fetch: typeof globalThis.fetch, options = {}) {
  const observed: unknown[] = [];
  const observe = (...args: unknown[]) => void observed.push(...args);
  const hooks: Hooks = { onRequest: observe, onResponse: observe, onWait: observe };
  const logger: Logger = { debug: observe, warn: observe };
  const clock = new VirtualClock();
  const settings = { apiKey, baseUrl: "http://queue.example", fetch, hooks, logger, ...options };
  const api = new QueueApi(settings);
  const call = api.entries.create(queueId, customer1);
  const failure = await clock.until(call).catch((error: unknown) => error);
  return { api, observed, failure };
}

describe("the key and the body stay out of", () => {
  test("the client itself", async () => {
    const { api } = await failureOf(async () => Response.json({}));
    for (const part of [api, api.me, api.entries, api.entries.list(queueId)]) expectNoSecret(part);
  });

  test.each<[string, typeof globalThis.fetch]>([
    ["a refusal", async () => Response.json(anError("queue_paused"), { status: 409 })],
    ["a response of the wrong shape", async () => Response.json({ data: { ...customer1 } })],
    ["a response that is not JSON", async () => new Response(`${customer1.name}, ${apiKey}`)],
    ["a gateway's page", async () => new Response(apiKey, { status: 503 })],
    ["a redirect", async () => Response.json({}, { status: 302, headers: { Location: apiKey } })],
    ["a failed connection", async () => Promise.reject(new TypeError("fetch failed"))],
    [
      "a fetch that quotes the request",
      async (url, init) => {
        const { authorization } = Object.fromEntries(new Headers(init?.headers));
        const request = new Request(url, { headers: new Headers(init?.headers) });
        const cause = Object.assign(new Error(`sent ${authorization}`), { request, init });
        throw new TypeError(`failed: ${init?.body}`, { cause });
      },
    ],
  ])("the events and the error of %s", async (_, fetch) => {
    const { observed, failure } = await failureOf(fetch);
    expect(failure).toBeInstanceOf(Error);
    expect(observed.length).toBeGreaterThan(2);
    expectNoSecret(failure);
    for (const event of observed) expectNoSecret(event);
  });

  test.each([
    ["an error of the service", 400],
    ["a response of a gateway", 503],
    ["a success of the wrong shape", 200],
  ])("an error when the request is repeated in %s", async (_, status) => {
    const headers = { "X-Request-Id": apiKey, "X-Echo": apiKey, "Content-Type": `text/${apiKey}` };
    const details = [{ field: apiKey, message: `not ${apiKey}` }];
    const error = {
      code: "invalid_request",
      message: apiKey,
      requestId: apiKey,
      docUrl: apiKey,
      details,
    };
    const fetch = async () => new Response(JSON.stringify({ error }), { status, headers });
    const { observed, failure } = await failureOf(fetch, { maxRetries: 0 });
    expectNoSecret(failure);
    for (const event of observed) expectNoSecret(event);
    const api = new QueueApi({ apiKey, baseUrl: "http://queue.example", fetch, maxRetries: 0 });
    expectNoSecret(await api.request("GET", "/v1/queues").catch((error: unknown) => error));
  });

  test("the log of a call whose arguments are wrong", async () => {
    const lines: unknown[] = [];
    const log = (...line: unknown[]) => void lines.push(line);
    const logger: Logger = { debug: log, info: log, warn: log, error: log };
    const api = new QueueApi({ apiKey, baseUrl: "http://queue.example", logger });
    await expect(api.entries.get(apiKey)).rejects.toThrow("entryId");
    const idempotencyKey = customer1.phone;
    await expect(api.entries.create(queueId, customer1, { idempotencyKey })).rejects.toThrow();
    expect(lines).toHaveLength(2);
    expectNoSecret(lines);
  });

  test("a success and its log", async () => {
    const headers = { "X-Request-Id": apiKey };
    const entry = async () => Response.json({ data: anEntry() }, { status: 201, headers });
    const { api, observed } = await failureOf(entry);
    for (const event of observed) expectNoSecret(event);
    const { requestId } = await api.entries.get(queueId).withResponse();
    expectNoSecret(requestId);
  });

  test("no other text if the key is too short", async () => {
    const fetch = async () => Response.json(anError("not_found"), { status: 404 });
    const api = new QueueApi({ apiKey: "o", baseUrl: "http://queue.example", fetch });
    await expect(api.queues.get(queueId)).rejects.toThrow(
      "queues.get: 404 not_found: There is no such resource.",
    );
  });

  test("a refusal of the arguments", async () => {
    const name = `${"x".repeat(200)}${apiKey}`;
    const api = new QueueApi({ apiKey, baseUrl: "http://queue.example" });
    const call = api.entries.create(
      apiKey,
      { name, phone: apiKey },
      { idempotencyKey: `${apiKey}!` },
    );
    expectNoSecret(await call.catch((error: unknown) => error));
  });

  const authorization = `Bearer ${apiKey}`;
  const deep = { a: { b: { c: { d: { e: { authorization } } } } } };

  test.each<[string, object]>([
    ["a symbol", { [Symbol("sent")]: { authorization } }],
    ["a Map", { sent: new Map([["authorization", authorization]]) }],
    ["a deep property", deep],
    ["the errors of an AggregateError", new AggregateError([new Error(authorization)])],
  ])("an error whose cause has them in %s", async (_, held) => {
    const cause = Object.assign(new Error("other side closed", { cause: held }), held);
    const { failure } = await failureOf(() =>
      Promise.reject(new TypeError("fetch failed", { cause })),
    );
    expect(failure).toMatchObject({ cause: { cause: { message: "other side closed" } } });
    expectNoSecret(failure);
  });

  test("an error whose cause quotes the body as a JSON text", async () => {
    const person = { ...customer1, name: 'Customer "1"' };
    const fetch = (_: unknown, init?: RequestInit) => {
      const body = JSON.stringify(init?.body);
      return Promise.reject(new TypeError("fetch failed", { cause: new Error(`sent ${body}`) }));
    };
    const { api } = await failureOf(fetch);
    const options = { maxRetries: 0 };
    const error = await api.entries.create(queueId, person, options).catch((it: unknown) => it);
    expect(shown(error)).not.toMatch(/Customer|98000/);
  });

  test("the headers of an error that echo the body", async () => {
    const headers = { "X-Echo": JSON.stringify(customer1), "X-Name": customer1.name };
    const fetch = async () => Response.json(anError("queue_paused"), { status: 409, headers });
    const gateway = async () => new Response("blocked", { status: 403, headers });
    for (const { failure } of [await failureOf(fetch), await failureOf(gateway)]) {
      expectNoSecret(failure);
    }
  });

  test("a short name is left in what no body is echoed in", async () => {
    const headers = { Date: "Sat, 02 May 2026 10:00:00 GMT", "Content-Type": "text/html" };
    const fetch = async () => new Response("blocked", { status: 403, headers });
    const { api } = await failureOf(fetch);
    for (const name of ["May", "html"]) {
      const call = api.entries.create(queueId, { ...customer1, name });
      const error = await call.catch((failure: QueueApiError) => failure);
      expect(error).toMatchObject({ message: expect.stringContaining("(403, text/html)") });
      expect((error as QueueApiError).headers?.get("date")).toBe(headers.Date);
    }
  });

  test("a cause is passed on as a copy of its name, message, code, stack and cause", async () => {
    const inner = Object.assign(new Error("other side closed"), {
      code: "UND_ERR_SOCKET",
      port: 1,
    });
    const cause = new TypeError("fetch failed", { cause: inner });
    const { failure } = await failureOf(() => Promise.reject(cause));
    const copied = (failure as Error).cause as Error;
    const { name, message, stack } = cause;
    expect(copied).toMatchObject({ name, message, stack });
    expect(copied.cause).toMatchObject({ message: inner.message, code: "UND_ERR_SOCKET" });
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
