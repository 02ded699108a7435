import { inspect } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as errors from "../../sdk/src/errors.js";
import type { HttpMethod } from "../../sdk/src/operation.js";
import {
  anEntry,
  anError,
  apiKey,
  customer1,
  entryId,
  giving,
  queueId,
  requestId,
} from "./support/examples.js";
import { World } from "./support/world.js";

/** A client of a service that returns the same error to every request. */
function refusing(status: number, body: unknown, headers: Record<string, string> = {}) {
  return new World({ fetch: giving(body, { status, headers }), maxRetries: 0 });
}

describe("an error of the service", () => {
  test("has every field of the response", async () => {
    const details = [{ field: "date", message: "must be a day that exists" }];
    const headers = { "X-Other": "1" };
    const world = refusing(400, anError("invalid_request", { details }), headers);
    const failure = await world.failure(world.api.queues.get(queueId));
    expect((failure as errors.ApiError).headers?.get("x-other")).toBe("1");
    expect(failure).toMatchObject({
      name: "InvalidRequestError",
      status: 400,
      code: "invalid_request",
      message: "queues.get: 400 invalid_request: date must be a day that exists.",
      operation: "queues.get",
      method: "GET",
      path: "/v1/queues/:queueId",
      requestId,
      docUrl: "https://queue.example/docs/errors#invalid_request",
      details,
      required: [],
      retryAfterMs: null,
      attempts: 1,
      idempotencyKey: null,
    });
  });

  test("names the missing scope", async () => {
    const world = refusing(403, anError("insufficient_scope", { required: ["queue:write"] }));
    expect(await world.failure(world.api.entries.cancel(entryId))).toMatchObject({
      name: "PermissionError",
      required: ["queue:write"],
      message: expect.stringMatching(/^entries.cancel: 403 insufficient_scope: .*: queue:write\.$/),
    });
  });

  test("of a gateway has its headers, and the beginning of its answer without the key, unless it can quote a body", async () => {
    const page = `<h1>Blocked</h1>${apiKey} ${"x".repeat(300)}`;
    const headers = { "X-Request-Id": requestId, "Retry-After": "7" };
    const fetch = async () => new Response(page, { status: 502, headers });
    const world = new World({ fetch, maxRetries: 0 });
    const failure = (await world.failure(world.api.me.get())) as errors.ServerError;
    expect(failure).toMatchObject({ code: null, requestId, retryAfterMs: 7000 });
    const { responseText } = failure;
    expect(responseText).toMatch(/^<h1>Blocked<\/h1>\[hidden\] x+$/);
    expect(responseText).toHaveLength(200);
    const created = await world.failure(world.api.entries.create(queueId, customer1));
    expect(created).toMatchObject({ status: 502, responseText: null });
  });

  test("of the service, or an answer that may hold its data, is not quoted", async () => {
    const refused = refusing(404, anError("not_found"));
    const misshaped = refusing(200, { data: { token: "A1" } });
    const relabeled = refusing(200, { data: anEntry() }, { "Content-Type": "text/json" });
    for (const world of [refused, misshaped, relabeled]) {
      const failure = await world.failure(world.api.entries.get(entryId));
      expect(failure).toMatchObject({ responseText: null });
    }
  });

  test.each([
    [301, "is a redirect: the address redirects, and the client does not follow"],
    [304, "is not an error response of the service"],
    [404, "is not an error response of the service"],
  ])("of another server says so: %i", async (status, what) => {
    const fetch = async () => new Response(null, { status });
    const world = new World({ fetch });
    expect(await world.failure(world.api.me.get())).toMatchObject({
      name: "UnexpectedResponseError",
      message: `me.get: the response (${status}, no content type) ${what}.`,
    });
  });

  test.each<[unknown, string]>([
    [{ data: { length: 0 }, nextCursor: null }, "data must be a list"],
    [{ data: [anEntry(), 7], nextCursor: null }, "data[1] must be an object"],
    [{ data: [] }, "nextCursor must be string|null"],
    [
      { data: [anEntry({ customer: { name: 7, phone: null } })], nextCursor: null },
      "data[0].customer.name must be string|null",
    ],
  ])("names the path at which an answer has the wrong shape: %#", async (document, fault) => {
    const world = refusing(200, document);
    expect(await world.failure(world.api.entries.list(queueId).all())).toMatchObject({
      name: "UnexpectedResponseError",
      message: `entries.list: the response (200, application/json) has the wrong shape: ${fault}.`,
    });
  });

  test("ignores fields of the wrong type", async () => {
    const odd = anError("invalid_request", { details: "none", required: [5], docUrl: 7 });
    const world = refusing(400, odd);
    const failure = await world.failure(world.api.me.get());
    expect(failure).toMatchObject({ details: [], required: [], docUrl: null });
  });
});

const info = {
  attempts: 2,
  outcome: "unknown" as const,
  idempotencyKey: "the-key-1",
  operation: "entries.create",
  method: "POST",
  path: "/v1/queues/:queueId/entries",
  responseText: null,
};
const answered = {
  ...info,
  status: 409,
  code: "queue_paused",
  requestId,
  docUrl: null,
  details: [],
  required: [],
  retryAfterMs: 1000,
};

describe("each class", () => {
  test.each(Object.entries(errors))(
    "%s is an Error of its name, in its stack too",
    (name, Class) => {
      const error = new Class("x", { ...answered, clock: "total" });
      expect(error).toBeInstanceOf(Error);
      expect(error).toBeInstanceOf(errors.QueueApiError);
      expect(error.stack?.startsWith(`${name}: x`)).toBe(true);
      expect(Object.keys(error)).not.toContain("name");
    },
  );

  test("can be extended, and instanceof the subclass is true only for its own errors", () => {
    class LateError extends errors.TimeoutError {}
    const late = new LateError("x", { ...info, clock: "total" });
    expect(late).toBeInstanceOf(LateError);
    expect(late).toBeInstanceOf(errors.TimeoutError);
    expect(new errors.TimeoutError("x", { ...info, clock: "total" })).not.toBeInstanceOf(LateError);
  });

  test.each([null, undefined, 5, "ApiError", {}, new Error("x")])("is not %j", (value) => {
    expect(value instanceof errors.QueueApiError).toBe(false);
  });
});

describe("the outcome of a failed call, and whether it may be repeated:", () => {
  const lost = () => Promise.reject(new TypeError("fetch failed"));
  const unconnected = () => {
    const cause = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    return Promise.reject(new TypeError("fetch failed", { cause }));
  };
  const refused = (status: number, code: string) => async () =>
    Response.json(anError(code), { status });
  const sequence = (...answers: (() => Promise<Response>)[]) => {
    let sent = 0;
    return () => (answers[sent++] ?? refused(500, "internal_error"))();
  };
  type Call = (api: World["api"]) => Promise<unknown>;
  const create: Call = (api) => api.entries.create(queueId, customer1);
  const cancel: Call = (api) => api.entries.cancel(entryId);
  const request =
    (method: HttpMethod, options = {}): Call =>
    (api) =>
      api.request(method, "/v1/tickets", options);
  const post = request("POST");
  const withKey = { idempotencyKey: "desk-00000001" };
  const get: Call = (api) => api.entries.get(entryId);
  const paused = refused(409, "queue_paused");
  const limited = refused(429, "rate_limited");
  const running = refused(409, "request_in_progress");
  const cutOff = () => sequence(lost, unconnected, unconnected, unconnected);
  const down = () => sequence(running, unconnected, unconnected, unconnected);

  test.each<[string, () => Promise<Response>, Call, "none" | "unknown", boolean, number]>([
    ["a creation whose answer was lost", lost, create, "unknown", true, 4],
    ["a creation at a queue that is paused", paused, create, "none", false, 1],
    ["a creation past its limit", limited, create, "none", true, 4],
    ["a creation in progress", running, create, "unknown", true, 4],
    ["a creation that failed", refused(500, "internal_error"), create, "unknown", true, 4],
    ["a creation that was lost, then refused", sequence(lost, paused), create, "unknown", false, 2],
    ["a creation without a connection", unconnected, create, "none", true, 4],
    ["a creation that was lost, then cut off", cutOff(), create, "unknown", true, 4],
    ["a creation in progress, then cut off", down(), create, "unknown", true, 4],
    [
      "a creation in progress, then refused",
      sequence(running, paused),
      create,
      "unknown",
      false,
      2,
    ],
    ["a POST without a key whose answer was lost", lost, post, "unknown", false, 1],
    ["a PATCH without a key whose answer was lost", lost, request("PATCH"), "unknown", false, 1],
    ["a POST with a key whose answer was lost", lost, request("POST", withKey), "unknown", true, 4],
    ["a PUT whose answer was lost", lost, request("PUT"), "unknown", true, 4],
    ["a DELETE whose answer was lost", lost, request("DELETE"), "unknown", true, 4],
    ["a GET of anything whose answer was lost", lost, request("GET"), "none", true, 4],
    ["a POST without a key and without a connection", unconnected, post, "none", true, 4],
    ["a POST without a key past its limit", limited, post, "none", true, 4],
    ["a cancellation whose answer was lost", lost, cancel, "unknown", true, 4],
    ["a read whose answer was lost", lost, get, "none", true, 4],
    ["a read of nothing", refused(404, "not_found"), get, "none", false, 1],
  ])("%s", async (_, answer, call, outcome, isRetryable, attempts) => {
    const fetch = vi.fn(answer);
    const world = new World({ fetch, pacing: false });
    const failure = await world.failure(call(world.api));
    expect(failure).toMatchObject({ outcome, isRetryable, attempts });
    expect(fetch).toHaveBeenCalledTimes(attempts);
  });

  type Aborted = (api: World["api"], options: { signal: AbortSignal }) => Promise<unknown>;

  test.each<[string, Aborted, "none" | "unknown", boolean]>([
    ["a creation", (api, it) => api.entries.create(queueId, customer1, it), "unknown", true],
    ["a POST without a key", (api, it) => api.request("POST", "/v1/x", it), "unknown", false],
    ["a read", (api, it) => api.entries.get(entryId, it), "none", true],
  ])("%s that was aborted", async (_, call, outcome, isRetryable) => {
    const controller = new AbortController();
    const fetch = () => new Promise<Response>(() => setImmediate(() => controller.abort()));
    const { api } = new World({ fetch });
    const sent = await call(api, controller).catch((error: unknown) => error);
    expect(sent).toMatchObject({ name: "AbortError", attempts: 1, outcome, isRetryable });
    const unsent = await call(api, controller).catch((error: unknown) => error);
    expect(unsent).toMatchObject({ attempts: 0, outcome: "none", isRetryable: true });
  });

  test.each([
    ["while an earlier one with its key runs", "onWait", "unknown", 1],
    ["before its request was sent", "onRequest", "none", 0],
  ] as const)("a creation that was aborted %s", async (_, hook, outcome, times) => {
    const controller = new AbortController();
    const fetch = vi.fn(running);
    const { api } = new World({ fetch, hooks: { [hook]: () => controller.abort() } });
    const call = api.entries.create(queueId, customer1, { signal: controller.signal });
    await expect(call).rejects.toMatchObject({ name: "AbortError", outcome });
    expect(fetch).toHaveBeenCalledTimes(times);
  });

  test.each(["connect", "CON"])(
    "a creation without a connection for somebody whose name is part of the error: %s",
    async (name) => {
      const world = new World({ fetch: unconnected });
      const failure = await world.failure(
        world.api.entries.create(queueId, { ...customer1, name }),
      );
      expect(failure).toMatchObject({
        outcome: "none",
        message: expect.stringContaining("the connection was refused (ECONNREFUSED)"),
        cause: { cause: { code: "ECONNREFUSED" } },
      });
    },
  );

  test("a refused certificate on Bun, whose checkServerIdentity runs after the request, may have acted", async () => {
    vi.stubGlobal("Bun", {});
    onTestFinished(() => void vi.unstubAllGlobals());
    const cause = Object.assign(new Error("no"), { code: "ERR_TLS_CERT_ALTNAME_INVALID" });
    const fetch = vi.fn(() => Promise.reject(new TypeError("fetch failed", { cause })));
    const world = new World({ fetch });
    expect(await world.failure(world.api.entries.create(queueId, customer1))).toMatchObject({
      outcome: "unknown",
      message: expect.stringContaining("the certificate is for another host"),
    });
    fetch.mockClear();
    await world.failure(world.api.request("POST", "/v1/new"));
    expect(fetch).toHaveBeenCalledOnce();
  });

  test("a response that breaks off with a code of TLS may have acted", async () => {
    const broken = Object.assign(new Error("bad record"), { code: "EPROTO" });
    const body = () => new ReadableStream({ pull: (stream) => stream.error(broken) });
    const headers = { "Content-Type": "application/json" };
    const world = new World({ fetch: async () => new Response(body(), { headers }) });
    const failure = await world.failure(world.api.entries.create(queueId, customer1));
    expect(failure).toMatchObject({ name: "ConnectionError", outcome: "unknown" });
  });
});

describe("JSON of an error", () => {
  test("has all fields and the causes", () => {
    const refused = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    const cause = new TypeError("fetch failed", { cause: refused });
    const error = new errors.ConnectionError("No answer came.", { ...info, cause });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: "ConnectionError",
      message: "No answer came.",
      isRetryable: true,
      ...info,
      headers: null,
      cause: {
        name: "TypeError",
        message: "fetch failed",
        cause: { name: "Error", message: "refused", code: "ECONNREFUSED" },
      },
    });
    expect(structuredClone(error.toJSON())).toEqual(error.toJSON());
    const headers = new Headers({ "X-Request-Id": requestId });
    const conflict = new errors.ConflictError("x", { ...answered, headers });
    expect(inspect(conflict)).not.toContain("x-request-id");
    expect(JSON.parse(JSON.stringify(conflict))).toEqual({
      name: "ConflictError",
      message: "x",
      isRetryable: false,
      ...answered,
      headers: { "x-request-id": requestId },
    });
  });

  test("of an abort has a plain reason, and not the properties of an object", () => {
    const json = (cause: unknown) =>
      JSON.parse(JSON.stringify(new errors.AbortError("x", { ...info, cause }))).cause;
    expect(json("the visitor left")).toBe("the visitor left");
    expect(json(null)).toBe(null);
    expect(json(10n)).toBe("10");
    expect(json({ apiKey })).toEqual({});
    const circle = new Error("the visitor left");
    circle.cause = circle;
    expect(json(circle)).toMatchObject({ message: "the visitor left" });
  });
});
