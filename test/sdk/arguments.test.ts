import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Arguments, checkArguments } from "../../sdk/src/arguments.js";
import { InvalidRequestError } from "../../sdk/src/errors.js";
import { createOptionNames } from "../../sdk/src/option-names.js";
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
    checkArguments(given, options, createOptionNames, { name: "a call" });
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
  const wrong = null as never;
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
    ["a body that is not an object", ["body"], (api) => api.entries.create(queueId, wrong)],
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
    ["no time", ["timeoutMs"], (api) => api.me.get({ timeoutMs: 0 })],
    ["no number", ["totalTimeoutMs"], (api) => api.me.get({ totalTimeoutMs: Number.NaN })],
    ["half a retry", ["maxRetries"], (api) => api.me.get({ maxRetries: 0.5 })],
    [
      "a signal that is not an AbortSignal",
      ["signal"],
      (api) => api.me.get({ signal: {} as never }),
    ],
    ["headers that are not an object", ["headers"], (api) => api.me.get({ headers: wrong })],
    [
      "a header with a line break",
      ["headers.x-a"],
      (api) => api.me.get({ headers: { "x-a": "a\nb" } }),
    ],
    [
      "an Authorization header",
      ["headers.Authorization"],
      (api) => api.me.get({ headers: { Authorization: "Bearer x" } }),
    ],
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
      "an option",
      "me.get: The option timeoutMs must be a number of milliseconds above 0.",
      (api) => api.me.get({ timeoutMs: -1 }),
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

describe("an option that a method does not accept fails before the request is sent", () => {
  const slips: [string, string, (api: World["api"]) => Promise<unknown>][] = [
    [
      "idempotencykey",
      "did you mean idempotencyKey?",
      (api) => api.entries.create(queueId, customer1, { idempotencykey: "slip-0001" } as never),
    ],
    [
      "idempotency_key",
      "did you mean idempotencyKey?",
      (api) => api.entries.create(queueId, customer1, { idempotency_key: "slip-0001" } as never),
    ],
    [
      "retries",
      "known: signal, timeoutMs, totalTimeoutMs, maxRetries, headers",
      (api) => api.queues.list({ retries: 3 } as never),
    ],
    [
      "idempotencyKey",
      "known: signal",
      (api) => api.entries.get(entryId, { idempotencyKey: "kiosk-7-0042" } as never),
    ],
    [
      "intervalMs",
      "known: signal",
      (api) => api.entries.list(queueId, {}, { intervalMs: 5 } as never).all(),
    ],
    [
      "interval",
      "known: signal, timeoutMs, totalTimeoutMs, maxRetries, headers, extraQuery, extraBody, intervalMs, maxIntervalMs, onPollError",
      (api) => api.entries.watch(queueId, {}, { interval: 5 } as never).next(),
    ],
    ["maximum", "known: max", (api) => api.entries.list(queueId).all({ maximum: 5 } as never)],
  ];

  test.each(slips)("%s", async (option, hint, call) => {
    const server = await FaultServer.start(always(500, {}));
    const world = World.of(server);
    expect(await world.failure(call(world.api))).toMatchObject({
      name: "InvalidRequestError",
      code: "invalid_request",
      attempts: 0,
      message: expect.stringMatching(
        new RegExp(
          `^[a-z.()]+: The option ${option} is unknown \\(${hint.replace("?", "\\?")}.*\\)\\.$`,
        ),
      ),
      details: [{ field: option, message: expect.stringContaining(hint) }],
    });
    expect(server.requests).toEqual([]);
  });

  const wrong = [["svc_live_x_y"], [null], [["x"]]] as [never][];
  test.each(wrong)("and so do options that are not an object: %j", async (options) => {
    const { api } = new World({ baseUrl: "http://queue.example" });
    for (const call of [
      () => api.me.get(options),
      () => api.entries.create(queueId, customer1, options),
      () => api.entries.list(queueId).all(options),
      () => api.entries.watch(queueId, {}, options).next(),
    ]) {
      await expect(call()).rejects.toMatchObject({
        name: "InvalidRequestError",
        message: expect.stringMatching(/^[a-z.()]+: The options must be an object\.$/),
      });
    }
  });

  test.each([-1, 0.5, Number.NaN, "5"])("and so does a maximum of %j items", async (max) => {
    const { api } = new World({ baseUrl: "http://queue.example" });
    await expect(api.entries.list(queueId).all({ max } as never)).rejects.toMatchObject({
      name: "InvalidRequestError",
      message: "entries.list().all: The option max must be a whole number, 0 or more.",
    });
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
