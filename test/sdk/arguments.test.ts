import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { type Arguments, checkArguments } from "../../sdk/src/arguments.js";
import { createOptionNames } from "../../sdk/src/check-options.js";
import { InvalidOptionError, InvalidRequestError } from "../../sdk/src/errors.js";
import type { CreateOptions } from "../../sdk/src/options.js";
import { wideKey } from "../support/seed.js";
import { testService } from "../support/service.js";
import { customer1, entryId, queueId } from "./support/examples.js";
import { always, FaultServer } from "./support/fault-server.js";
import { World } from "./support/world.js";

// The memory store is faster for hundreds of requests, and this test needs no durability.
const service = await testService({ usualStore: "memory" });
const clinic = await service.clinic({ keys: [wideKey] });

/** The details with which the service refuses a request. Empty if the request is valid. */
async function serviceDetails(method: string, path: string, body?: unknown, key?: string) {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${clinic.key()}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(key !== undefined && { "idempotency-key": key }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const { error } = (await response.json()) as { error?: { code: string; details?: unknown } };
  return error?.code === "invalid_request" ? error.details : [];
}

/** The details with which the SDK refuses the same arguments. */
function ownDetails(given: Arguments, options?: CreateOptions) {
  try {
    checkArguments(given, options, createOptionNames, { title: "a call" });
    return [];
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    return error.details;
  }
}

const text = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: "binary", maxLength: 10 }),
  fc.constantFrom("", "x".repeat(120), "x".repeat(121), "😀".repeat(120), "😀".repeat(121)),
);
const odd = fc.constantFrom(null, 5, true, [], {}, ["a"]);
const idText = fc.oneof(
  fc.stringMatching(/^[a-zA-Z0-9]{19,33}$/),
  fc.constantFrom("short", "a".repeat(20), "_".repeat(20)),
);
const phone = fc.oneof(fc.stringMatching(/^\+?[0-9 ()-]{6,22}$/), text);
const day = fc.oneof(
  fc.stringMatching(/^20[0-9]{2}-[01][0-9]-[0-3][0-9]$/),
  fc.constantFrom("2026-02-29", "2028-02-29", "0000-01-01", "today"),
);

describe("arguments are refused with the details that the service would give", () => {
  const runs = { numRuns: 150 };

  test("for any body of a creation", async () => {
    const bodies = fc.record(
      {
        name: fc.oneof(text, odd),
        phone: fc.oneof(phone, odd),
        serviceId: fc.oneof(idText, odd),
        nickname: text,
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const own = ownDetails({ body });
        if (own.length === 0) return; // then only the service can find an error
        const path = `/v1/queues/${queueId}/entries`;
        expect(own).toEqual(await serviceDetails("POST", path, body));
      }),
      runs,
    );
  });

  test("and the service accepts the form of all arguments that the SDK accepts", async () => {
    const bodies = fc.record({ name: text, phone });
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        if (ownDetails({ body }).length > 0) return;
        const path = `/v1/queues/${queueId}/entries`;
        expect(await serviceDetails("POST", path, body)).toEqual([]);
      }),
      runs,
    );
  });

  test("for any query of a list", async () => {
    const queries = fc.record(
      { date: day, limit: fc.oneof(fc.integer({ min: -5, max: 200 })), cursor: idText },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(queries, async (query) => {
        const own = ownDetails({ query });
        if (own.length === 0) return;
        const search = new URLSearchParams(
          Object.entries(query).map(([k, v]): [string, string] => [k, String(v)]),
        );
        expect(own).toEqual(await serviceDetails("GET", `/v1/appointments?${search}`));
      }),
      runs,
    );
  });

  test("for any idempotency key", async () => {
    const keys = fc.stringMatching(/^[A-Za-z0-9_.-]{1,70}$/);
    await fc.assert(
      fc.asyncProperty(keys, async (idempotencyKey) => {
        const path = `/v1/queues/${queueId}/entries`;
        const said = await serviceDetails("POST", path, customer1, idempotencyKey);
        expect(ownDetails({}, { idempotencyKey })).toEqual(said);
      }),
      runs,
    );
  });

  test("for any id", async () => {
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[A-Za-z0-9_.-]{1,40}$/), async (entryId) => {
        fc.pre(entryId !== "." && entryId !== "..");
        const said = await serviceDetails("GET", `/v1/entries/${entryId}`);
        expect(ownDetails({ params: { entryId } })).toEqual(said);
      }),
      runs,
    );
  });
});

describe("an invalid argument fails before the request is sent", () => {
  const calls: [string, string[], (api: World["api"]) => Promise<unknown>][] = [
    ["an id with a slash", ["entryId"], (api) => api.entries.get("a/../../b")],
    ["no id", ["entryId"], (api) => api.entries.cancel(undefined as never)],
    ["an id of a queue", ["queueId"], (api) => api.queues.get("")],
    ["an id of an appointment", ["appointmentId"], (api) => api.appointments.get("?x=1")],
    [
      "a name of 121 characters",
      ["name"],
      (api) => api.entries.create(queueId, { ...customer1, name: "x".repeat(121) }),
    ],
    [
      "an idempotency key of 7",
      ["Idempotency-Key"],
      (api) => api.entries.create(queueId, customer1, { idempotencyKey: "1234567" }),
    ],
    ["no body", ["body"], (api) => api.entries.create(queueId, undefined as never)],
    ["a body that is not an object", ["body"], (api) => api.entries.create(queueId, null as never)],
    [
      "an unknown field",
      ["nickname"],
      (api) => api.entries.create(queueId, { ...customer1, nickname: "x" } as never),
    ],
    [
      "several faults",
      ["queueId", "Idempotency-Key", "name", "phone"],
      (api) => api.entries.create("x", { name: "", phone: "1" }, { idempotencyKey: "x" }),
    ],
    [
      "a day that does not exist",
      ["date"],
      (api) => api.queues.get(queueId, { date: "2026-02-30" }),
    ],
    ["an unknown parameter", ["day"], (api) => api.queues.get(queueId, { day: "x" } as never)],
    [
      "a query that is not an object",
      ["query"],
      (api) => api.queues.get(queueId, "2026-11-21" as never),
    ],
    ["a page of 101", ["limit"], (api) => api.entries.list(queueId, { limit: 101 }).all()],
    ["a page of 0.5", ["limit"], (api) => api.entries.list(queueId, { limit: 0.5 }).all()],
  ];

  for (const [name, fields, call] of calls) {
    test(name, async () => {
      const server = await FaultServer.start(always(500, {}));
      const world = World.of(server);
      const failure = await world.failure(call(world.api));
      expect(failure).toBeInstanceOf(InvalidRequestError);
      expect(failure).toMatchObject({ status: 400, code: "invalid_request", attempts: 0 });
      expect((failure as InvalidRequestError).details.map(({ field }) => field)).toEqual(fields);
      expect(server.requests).toEqual([]);
    });
  }

  const phrases: [string, string, (api: World["api"]) => Promise<unknown>][] = [
    [
      "an id",
      "entries.get: entryId must be 20 to 32 letters and digits.",
      (api) => api.entries.get("x"),
    ],
    [
      "an option among the parameters",
      "entries.list: signal is an unknown parameter. Options are the third argument.",
      (api) => api.entries.list(queueId, { signal: AbortSignal.abort() } as never).all(),
    ],
    [
      "an option of a list without an id",
      "appointments.list: timeoutMs is an unknown parameter. Options are the second argument.",
      (api) => api.appointments.list({ timeoutMs: 5 } as never).all(),
    ],
    [
      "an option in a body",
      "entries.create: idempotencyKey is an unknown field. Options are the third argument.",
      (api) => api.entries.create(queueId, { ...customer1, idempotencyKey: "order-42" } as never),
    ],
    [
      "an unknown parameter",
      "queues.get: day is an unknown parameter.",
      (api) => api.queues.get(queueId, { day: "x" } as never),
    ],
    [
      "several faults",
      "entries.create: The option idempotencyKey must be 8 to 64 letters, digits, _ or -. For any other text, give { from: text }. name is required. nickname is an unknown field.",
      (api) =>
        api.entries.create(queueId, { phone: "919800000001", nickname: "x" } as never, {
          idempotencyKey: "x",
        }),
    ],
  ];

  test.each(phrases)("and the message says what is expected: %s", async (_name, message, call) => {
    const world = new World({ baseUrl: "http://queue.example" });
    expect(await world.failure(call(world.api))).toMatchObject({ message });
  });

  test("and the error of a creation has its idempotency key, unless the key is the invalid argument", async () => {
    const { api } = new World({ baseUrl: "http://queue.example" });
    const nameless = { ...customer1, name: "" };
    const refused = async (options?: object) =>
      api.entries.create(queueId, nameless, options).catch(({ idempotencyKey }) => idempotencyKey);
    expect(await refused({ idempotencyKey: "order-00001" })).toBe("order-00001");
    expect(await refused()).toEqual(expect.any(String));
    expect(await refused({ idempotencyKey: "+91 98000 00001" })).toBeNull();
    await expect(api.entries.get("x")).rejects.toMatchObject({ idempotencyKey: null });
  });

  test("but an unknown status is sent to the service", async () => {
    const server = await FaultServer.start(always(200, { data: [], nextCursor: null }));
    const world = World.of(server);
    await world.run(world.api.entries.list(queueId, { status: "TELEPORTED" }).all());
    expect(server.requests[0]?.path).toContain("status=TELEPORTED");
  });
});

describe("a wrong option is an error of its own, without a status, and nothing is sent:", () => {
  const options: [string, (api: World["api"]) => PromiseLike<unknown>][] = [
    [
      "entries.create: The option idempotencykey is unknown (did you mean idempotencyKey?).",
      (api) => api.entries.create(queueId, customer1, { idempotencykey: "slip-0001" } as never),
    ],
    [
      "entries.create: The option idempotency_key is unknown (did you mean idempotencyKey?).",
      (api) => api.entries.create(queueId, customer1, { idempotency_key: "slip-0001" } as never),
    ],
    [
      "queues.list: The option retries is unknown (known: signal, timeoutMs, totalTimeoutMs, maxRetries, headers).",
      (api) => api.queues.list({ retries: 3 } as never),
    ],
    [
      "entries.list: The option intervalMs is unknown (known: signal, timeoutMs, totalTimeoutMs, maxRetries, headers).",
      (api) => api.entries.list(queueId, {}, { intervalMs: 5 } as never).all(),
    ],
    [
      "entries.watch: The option interval is unknown (known: signal, timeoutMs, totalTimeoutMs, maxRetries, headers, intervalMs, maxIntervalMs, onPollError).",
      (api) => api.entries.watch(queueId, {}, { interval: 5 } as never).next(),
    ],
    [
      "entries.list().all: The option maximum is unknown (known: max).",
      (api) => api.entries.list(queueId).all({ maximum: 5 } as never),
    ],
    [
      "entries.list().all: The option max must be a whole number, 0 or more.",
      (api) => api.entries.list(queueId).all({ max: 0.5 }),
    ],
    [
      "me.get: The option timeoutMs must be a number of milliseconds above 0.",
      (api) => api.me.get({ timeoutMs: 0 }),
    ],
    [
      "me.get: The option totalTimeoutMs must be a number of milliseconds above 0.",
      (api) => api.me.get({ totalTimeoutMs: Number.NaN }),
    ],
    [
      "me.get: The option maxRetries must be a whole number, 0 or more.",
      (api) => api.me.get({ maxRetries: 0.5 }),
    ],
    [
      "me.get: The option signal must be an AbortSignal.",
      (api) => api.me.get({ signal: {} as never }),
    ],
    [
      "me.get: The option headers must be an object.",
      (api) => api.me.get({ headers: null as never }),
    ],
    [
      "me.get: The option headers.x-a must be a valid header.",
      (api) => api.me.get({ headers: { "x-a": "a\nb" } }),
    ],
    [
      "me.get: The option headers.Authorization is set by the client itself.",
      (api) => api.me.get({ headers: { Authorization: "Bearer x" } }),
    ],
    [
      "request: The option query must hold texts, numbers and booleans alone.",
      (api) => api.request("GET", "/v1/queues", { query: { limit: {} as never } }),
    ],
    ["me.get: The options must be an object.", (api) => api.me.get("svc_live_x_y" as never)],
    [
      "entries.list().all: The options must be an object.",
      (api) => api.entries.list(queueId).all([["x"]] as never),
    ],
  ];

  test.each(options)("%s", async (message, call) => {
    const fetch = vi.fn();
    const { api } = new World({ baseUrl: "http://queue.example", fetch });
    const failure: unknown = await call(api).then(null, (error: unknown) => error);
    expect(failure).toBeInstanceOf(InvalidOptionError);
    expect(failure).toMatchObject({ message, attempts: 0, isRetryable: false });
    expect(failure).not.toHaveProperty("status");
    expect(fetch).not.toHaveBeenCalled();
  });

  test("but an undefined option is ignored", async () => {
    const server = await FaultServer.start(always(200, { data: [] }));
    const world = World.of(server);
    await world.run(world.api.queues.list({ retries: undefined } as never));
    expect(server.requests).toHaveLength(1);
  });
});

describe("the request that is sent", () => {
  test("has the body as it was when the call started", async () => {
    let failing = true;
    const server = await FaultServer.start((connection, request) => {
      const first = failing;
      failing = false;
      if (first) connection.reset();
      else always(201, { data: {} })(connection, request);
    });
    const world = World.of(server);
    const body = { ...customer1 };
    const call = world.api.entries.create(queueId, body);
    const failed = call.catch((error: unknown) => error);
    await world.retry(call, "connection");
    body.name = "Somebody else";
    await world.run(failed);
    expect(server.requests.map((request) => request.body)).toEqual(
      Array(2).fill(JSON.stringify(customer1)),
    );
    const keys = server.requests.map(({ headers }) => headers.get("idempotency-key"));
    expect(new Set(keys).size).toBe(1);
  });

  test("has the caller's idempotency key, if given", async () => {
    const server = await FaultServer.start(always(500, {}));
    const world = World.of(server);
    const idempotencyKey = "kiosk-7-0042";
    await world.failure(world.api.entries.create(queueId, customer1, { idempotencyKey }));
    const keys = server.requests.map(({ headers }) => headers.get("idempotency-key"));
    expect(keys).toEqual(Array(4).fill(idempotencyKey));
  });

  test("has no body and no key where none is defined", async () => {
    const server = await FaultServer.start(always(409, {}));
    const world = World.of(server);
    await world.failure(world.api.entries.cancel(entryId));
    expect(server.requests[0]).toMatchObject({ method: "POST", body: "" });
    expect(server.requests[0]?.headers.has("idempotency-key")).toBe(false);
    expect(server.requests[0]?.headers.has("content-type")).toBe(false);
  });
});
