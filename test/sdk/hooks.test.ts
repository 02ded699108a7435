import { AsyncLocalStorage } from "node:async_hooks";
import { SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import pino from "pino";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Hooks } from "../../sdk/src/hooks.js";
import { QueueApi, type QueueApiOptions } from "../../sdk/src/index.js";
import { tracing } from "../../sdk/src/opentelemetry.js";
import {
  anEntry,
  anError,
  apiKey,
  customer1,
  entryId,
  giving,
  requestId,
  usedUp,
} from "./support/examples.js";
import { World } from "./support/world.js";

const baseUrl = "http://queue.example";

/** A logger that keeps its lines, each with its level. */
function recordingLogger() {
  const lines: [level: string, line: string, fields: object][] = [];
  const at = (level: string) => (line: string, fields: object) =>
    void lines.push([level, line, fields]);
  const logger = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  return { logger, lines };
}

/** A client of a service that fails once and then succeeds. */
function onceFailing(options: Pick<QueueApiOptions, "hooks" | "logger" | "logLevel">) {
  const headers = { "X-Request-Id": requestId };
  const fetch = giving({ data: anEntry() }, { headers });
  const overloaded = { status: 503, headers: { ...headers, "Retry-After": "2" } };
  fetch.mockResolvedValueOnce(Response.json(anError("internal_error"), overloaded));
  const world = new World({ fetch, ...options });
  const sent = () => fetch.mock.calls.map(([, init]) => new Headers(init.headers));
  return { sent, run: () => world.run(world.api.entries.get(entryId)) };
}

const commonFields = {
  operation: "entries.get",
  method: "GET",
  route: "/v1/entries/:entryId",
  url: `http://queue.example/v1/entries/${entryId}`,
};

describe("hooks", () => {
  test("receive each attempt, with its number, its wait and its reason", async () => {
    const events: [string, object][] = [];
    const { run } = onceFailing({
      hooks: {
        onRequest: (event) => events.push(["request", event]),
        onResponse: (event) => events.push(["response", event]),
        onWait: (event) => events.push(["wait", event]),
      },
    });
    await run();
    const error = expect.objectContaining({ name: "ServerError" });
    expect(events).toMatchObject([
      ["request", { ...commonFields, attempt: 1 }],
      ["response", { ...commonFields, attempt: 1, status: 503, requestId, error }],
      ["wait", { ...commonFields, attempt: 2, reason: "server_error", waitMs: 2000, error }],
      ["request", { ...commonFields, attempt: 2 }],
      ["response", { ...commonFields, attempt: 2, status: 200, requestId, error: null }],
    ]);
    const ids = events.map(([, event]) => (event as { callId: number }).callId);
    expect(new Set(ids).size).toBe(1);
  });

  test("can add a header to one attempt until they return or await, but not replace a header of the client", async () => {
    const { logger, lines } = recordingLogger();
    const onRequest: Hooks["onRequest"] = async ({ addHeader, attempt }) => {
      addHeader(`X-Attempt-${attempt}`, "yes");
      addHeader("constructor", "a name that objects inherit");
      addHeader("Authorization", "Bearer somebody-else");
      addHeader("Content-Length", "5");
      await Promise.resolve();
      addHeader("X-Late", "1");
    };
    const { run, sent } = onceFailing({ hooks: { onRequest }, logger });
    await run();
    const isAdded = (name: string) => /^x-|^constructor$/.test(name);
    const added = sent().map((headers) => [...headers.keys()].filter(isAdded));
    expect(added).toEqual([
      ["constructor", "x-attempt-1"],
      ["constructor", "x-attempt-2"],
    ]);
    expect(sent().map((headers) => headers.get("authorization"))).toEqual(
      Array(2).fill(`Bearer ${apiKey}`),
    );
    const failed = ["warn", "queue-api: the hook onRequest failed", { error: "TypeError" }];
    expect(lines).toContainEqual(failed);
  });

  test("that throw or reject do not affect the call, and the logger receives the error", async () => {
    const { logger, lines } = recordingLogger();
    const fail = () => {
      throw new Error("the hook is broken");
    };
    const hooks = { onRequest: async () => fail(), onResponse: fail, onWait: fail };
    expect(await onceFailing({ hooks, logger }).run()).toEqual(anEntry());
    const failed = ["warn", "queue-api: the hook onWait failed", expect.anything()];
    expect(lines).toContainEqual(failed);
  });

  test("and a logger that throws does not affect the call", async () => {
    const fail = () => {
      throw new Error("the disk is full");
    };
    const { run } = onceFailing({ logger: { debug: fail, info: fail, warn: fail } });
    expect(await run()).toEqual(anEntry());
  });

  test("of a call run where the call was made, also when another call or a timer lets it wait", async () => {
    const made = new AsyncLocalStorage<string>();
    const waits: unknown[] = [];
    const hooks: Hooks = { onWait: ({ waitMs }) => void waits.push([made.getStore(), waitMs]) };
    const headers = usedUp(4, 60);
    const world = new World({ fetch: giving({ data: anEntry() }, { headers }), hooks });
    const get = () => world.api.entries.get(entryId);
    await world.run(Promise.all([..."12345"].map((name) => made.run(name, get))));
    expect(waits).toEqual([["5", 60_000]]);
  });

  test("can be several, called in order", async () => {
    const order: number[] = [];
    const hooks = [1, 2].map((number) => ({ onRequest: () => void order.push(number) }));
    await onceFailing({ hooks }).run();
    expect(order).toEqual([1, 2, 1, 2]);
  });
});

test("a logger gets a line for each attempt, each wait and each call, with all that a search needs", async () => {
  const { logger, lines } = recordingLogger();
  await onceFailing({ logger }).run();
  const failed = `entries.get: 503 internal_error: ${anError("internal_error").error.message}`;
  const callId = expect.any(Number);
  const attempt1 = { callId, attempt: 1, requestId, operation: "entries.get", status: 503 };
  expect(lines).toMatchObject([
    ["debug", `queue-api: ${failed} (attempt 1, 0 ms)`, { ...attempt1, error: "ServerError" }],
    [
      "warn",
      `queue-api: ${failed} Attempt 2 follows in 2000 ms.`,
      {
        callId,
        attempt: 2,
        operation: "entries.get",
        reason: "server_error",
        waitMs: 2000,
        error: "ServerError",
        status: 503,
        code: "internal_error",
        requestId,
      },
    ],
    [
      "debug",
      "queue-api: entries.get: 200 (attempt 2, 0 ms)",
      { ...attempt1, attempt: 2, status: 200 },
    ],
    [
      "info",
      "queue-api: entries.get: 200 in 2000 ms",
      { callId, operation: "entries.get", attempts: 2, status: 200, requestId, durationMs: 2000 },
    ],
  ]);
});

describe("the level of the log", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  /** The levels of the lines that one call writes to a logger, after one failed attempt. */
  async function linesOf(options: Pick<QueueApiOptions, "logLevel">): Promise<string[]> {
    const { logger, lines } = recordingLogger();
    await onceFailing({ logger, ...options }).run();
    return lines.map(([level]) => level);
  }

  test.each([
    ["off", []],
    ["error", []],
    ["warn", ["warn"]],
    ["info", ["warn", "info"]],
    ["debug", ["debug", "warn", "debug", "info"]],
  ] as const)("%s leaves out what is beyond it", async (logLevel, lines) => {
    expect(await linesOf({ logLevel })).toEqual(lines);
    vi.stubEnv("QUEUE_API_LOG", logLevel);
    expect(await linesOf({})).toEqual(lines);
  });

  test("is debug with the option logger, and an option takes precedence over the environment", async () => {
    expect(await linesOf({})).toHaveLength(4);
    vi.stubEnv("QUEUE_API_LOG", "debug");
    expect(await linesOf({ logLevel: "warn" })).toEqual(["warn"]);
  });

  test("of the environment writes to the console without a logger, and an unknown one is reported", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    await onceFailing({}).run();
    expect(warn).not.toHaveBeenCalled();
    vi.stubEnv("QUEUE_API_LOG", "warn");
    await onceFailing({}).run();
    expect(warn.mock.calls).toMatchObject([[expect.stringContaining("Attempt 2 follows"), {}]]);
    vi.stubEnv("QUEUE_API_LOG", "loud");
    new QueueApi({ apiKey, baseUrl });
    expect(warn).toHaveBeenCalledWith(
      "queue-api: QUEUE_API_LOG must be one of off, error, warn, info, debug",
    );
    warn.mockClear();
    new QueueApi({ apiKey, baseUrl }).withOptions({ maxRetries: 0 });
    expect(warn).not.toHaveBeenCalled();
  });
});

describe("the end of a call is logged", () => {
  const unreachable = () => Promise.reject(new TypeError("this fetch sends nothing"));

  /** The lines of a failed call with their levels, except those of its attempts. */
  async function endOf(
    call: (api: QueueApi) => PromiseLike<unknown>,
    fetch: typeof globalThis.fetch = unreachable,
  ): Promise<unknown[]> {
    const { logger, lines } = recordingLogger();
    const api = new QueueApi({ apiKey, baseUrl, fetch, logger, maxRetries: 0 });
    await expect(call(api).then(() => "succeeded")).rejects.not.toBe("succeeded");
    return lines.filter(([level]) => level !== "debug");
  }

  test.each([
    ["info", 404, "not_found"],
    ["error", 401, "unauthorized"],
    ["error", 403, "api_access_disabled"],
    ["error", 500, "internal_error"],
  ])("as %s for %i %s", async (level, status, code) => {
    const fetch = async () => Response.json(anError(code), { status });
    const message = `queue-api: me.get: ${status} ${code}: ${anError(code).error.message}`;
    const lines = await endOf((api) => api.me.get(), fetch);
    expect(lines).toMatchObject([[level, message, { operation: "me.get", status, code }]]);
  });

  test("as error for a response of another server, and as info for an abort", async () => {
    const fetch = async () => new Response("moved", { status: 301 });
    const redirect = await endOf((api) => api.me.get(), fetch);
    const answered = { status: 301, code: null, requestId: null };
    expect(redirect).toMatchObject([["error", expect.stringContaining("redirect"), answered]]);
    const abort = await endOf((api) => api.me.get({ signal: AbortSignal.abort() }));
    expect(abort).toMatchObject([["info", expect.stringContaining("aborted"), {}]]);
  });

  test("with the queue and the idempotency key of a creation", async () => {
    const idempotencyKey = "kiosk-7-0042";
    const fields = { operation: "entries.create", queueId: entryId, idempotencyKey };
    const create = (name: string) => (api: QueueApi) =>
      api.entries.create(entryId, { ...customer1, name }, { idempotencyKey });
    const paused = async () => Response.json(anError("queue_paused"), { status: 409 });
    for (const name of [customer1.name, ""]) {
      const line = [expect.any(String), expect.any(String), fields];
      expect(await endOf(create(name), paused)).toMatchObject([line]);
    }
  });

  test.each([
    ["Error", new Error("of a framework")],
    ["object", null],
    ["undefined", undefined],
  ])("for an error of fetch that is no network failure: %s", async (error, thrown) => {
    const fields = { operation: "me.get", attempts: 1, error, status: null, code: null };
    const lines = await endOf(
      (api) => api.me.get(),
      () => Promise.reject(thrown),
    );
    expect(lines).toMatchObject([[expect.any(String), "queue-api: me.get failed", fields]]);
  });
});

test("pino gets the fields of each line, and prints an error with its headers", async () => {
  const lines: string[] = [];
  const logger = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  const headers = { "X-Request-Id": requestId, "Retry-After": "7" };
  const { api } = new World({
    fetch: giving(anError("not_found"), { status: 404, headers }),
    logger,
  });
  const error = await api.me.get().catch((error: unknown) => error);
  logger.error(error);
  logger.error({ err: error }, "failed");
  const printed = { err: { headers: { "x-request-id": requestId, "retry-after": "7" } } };
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: expect.stringContaining("queue-api: me.get: 404 not_found"), operation: "me.get" },
    printed,
    printed,
  ]);
});

describe("tracing", () => {
  /** A tracer that records its spans. */
  function recorder() {
    const exporter = new InMemorySpanExporter();
    const provider = new BasicTracerProvider({
      spanProcessors: [new SimpleSpanProcessor(exporter)],
    });
    return { tracer: provider.getTracer("test"), spans: () => exporter.getFinishedSpans() };
  }

  test("creates a client span for each attempt, following the semantic conventions for HTTP", async () => {
    const { tracer, spans } = recorder();
    await onceFailing({ hooks: tracing({ tracer }) }).run();
    const attributes = {
      "http.request.method": "GET",
      "url.full": commonFields.url,
      "url.template": commonFields.route,
      "server.address": "queue.example",
      "server.port": 80,
      "queue_api.operation": "entries.get",
      "queue_api.request_id": requestId,
    };
    expect(
      spans().map(({ name, kind, attributes, status }) => ({ name, kind, attributes, status })),
    ).toEqual([
      {
        name: "GET /v1/entries/:entryId",
        kind: SpanKind.CLIENT,
        attributes: { ...attributes, "http.response.status_code": 503, "error.type": "503" },
        status: {
          code: SpanStatusCode.ERROR,
          message: `entries.get: 503 internal_error: ${anError("internal_error").error.message}`,
        },
      },
      {
        name: "GET /v1/entries/:entryId",
        kind: SpanKind.CLIENT,
        attributes: {
          ...attributes,
          "http.response.status_code": 200,
          "http.request.resend_count": 1,
        },
        status: { code: SpanStatusCode.UNSET },
      },
    ]);
  });

  test("adds each wait to the span around the call", async () => {
    const { tracer, spans } = recorder();
    const around = tracer.startSpan("job");
    const active = vi.spyOn(trace, "getActiveSpan").mockReturnValue(around);
    onTestFinished(() => active.mockRestore());
    await onceFailing({ hooks: tracing({ tracer }) }).run();
    around.end();
    const attributes = {
      "queue_api.call_id": expect.any(Number),
      "queue_api.wait.reason": "server_error",
      "queue_api.wait.ms": 2000,
    };
    expect(spans().at(-1)?.events).toMatchObject([{ name: "queue_api.wait", attributes }]);
  });

  test("names a span of any request by its method alone, and the error of one without a response", async () => {
    const { tracer, spans } = recorder();
    const fetch = () => Promise.reject(new TypeError("fetch failed"));
    const options = { baseUrl: "https://queue.example", fetch, maxRetries: 0 };
    const { api } = new World({ ...options, hooks: tracing({ tracer }) });
    await api.request("GET", `/v1/entries/${entryId}`).catch(() => {});
    const failed = { "error.type": "ConnectionError", "server.port": 443 };
    expect(spans()).toMatchObject([{ name: "GET", attributes: failed }]);
    expect(spans()[0]?.attributes).not.toHaveProperty("url.template"); // the path can have an id
  });
});
