import { mockQueueApi } from "@queue-api/testkit";
import { describe, expect, test, vi } from "vitest";
import {
  type ApiError,
  InvalidOptionError,
  InvalidRequestError,
  QueueApi,
} from "../../sdk/src/index.js";
import { anEntry, apiKey, customer1, entryId, giving, queueId } from "./support/examples.js";
import { always, faultServer } from "./support/fault-server.js";
import { World } from "./support/world.js";

type Call = (api: World["api"]) => PromiseLike<unknown>;

describe("an argument is refused with the details that the service gives:", () => {
  const mock = mockQueueApi();
  const ofMock = { baseUrl: mock.baseUrl, apiKey: mock.key("office"), fetch: mock.fetch };
  const client = () => new World({ ...ofMock, pacing: false }).api;

  /** Compares the error of a method with that of the service, for a request that nobody has checked. */
  async function expectSame(call: PromiseLike<unknown>, request: PromiseLike<unknown>) {
    const [own, served] = await Promise.allSettled([call, request]);
    expect(served).toMatchObject({ reason: { attempts: 1, code: "invalid_request" } });
    const { details } = (served as PromiseRejectedResult).reason as ApiError;
    expect(own).toMatchObject({ reason: { attempts: 0, details } });
  }

  test.each([
    [{}],
    [{ name: "", phone: "12" }],
    [{ name: "x".repeat(121), phone: "+91 98000 0000a" }],
    [{ name: "\ud800", phone: "1".repeat(21) }],
    [{ name: 5, phone: null, serviceId: [] }],
    [{ ...customer1, nickname: "x", serviceId: "short" }],
  ])("the body %j", async (body) => {
    const api = client();
    const path = `/v1/queues/${queueId}/entries`;
    const call = api.entries.create(queueId, body as never);
    await expectSame(call, api.request("POST", path, { body }));
  });

  test.each([
    [{ date: "2026-02-29" }],
    [{ date: "today", limit: 0 }],
    [{ limit: 101, cursor: "short" }],
    [{ limit: -5, day: "x" }],
    [{ limit: 0.5 }],
  ])("the query %j", async (query) => {
    const api = client();
    await expectSame(
      api.appointments.list(query),
      api.request("GET", "/v1/appointments", { query } as object),
    );
  });

  test.each(["short", "a".repeat(33), "_".repeat(20)])("the id %s", async (id) => {
    const api = client();
    await expectSame(api.entries.get(id), api.request("GET", `/v1/entries/${id}`));
  });

  test("but what the service accepts is sent", async () => {
    const api = client();
    const person = { name: "😀".repeat(120), phone: "+(12345) 67890-123456" };
    const { customer } = await api.entries.create(mock.ids.queue("front"), person);
    expect(customer).toEqual({ name: person.name, phone: "1234567890123456" });
    expect(await api.appointments.list({ date: "2028-02-29", limit: 100 }).all()).toEqual([]);
  });
});

describe("an invalid argument fails before the request is sent", () => {
  /** What is wrong, the names in `details`, and the message of those whose wording helps. */
  const calls: [string, string[], Call, message?: string][] = [
    [
      "an id with a slash",
      ["entryId"],
      (api) => api.entries.get("a/../../b"),
      "entries.get: entryId must be 20 to 32 letters and digits.",
    ],
    ["no id", ["entryId"], (api) => api.entries.cancel(undefined as never)],
    ["a queue to watch", ["queueId"], (api) => api.entries.watch("a/b").next()],
    [
      "a part of a list to watch",
      ["limit", "cursor"],
      (api) => api.entries.watch(queueId, { limit: 1, cursor: "0".repeat(20) } as object).next(),
      "entries.watch: limit is an unknown parameter. cursor is an unknown parameter.",
    ],
    ["no body", ["body"], (api) => api.entries.create(queueId, null as never)],
    [
      "an option in a body",
      ["idempotencyKey"],
      (api) =>
        api.entries.create(queueId, {
          ...customer1,
          idempotencyKey: "order-42",
        } as object as never),
      "entries.create: idempotencyKey is an unknown field. Options are the third argument.",
    ],
    [
      "options and another field in a body",
      ["signal", "nickname", "timeoutMs"],
      (api) => {
        const more = { signal: AbortSignal.abort(), nickname: "x", timeoutMs: 5 };
        return api.entries.create(queueId, { ...customer1, ...more });
      },
      "entries.create: signal is an unknown field. nickname is an unknown field. timeoutMs is an unknown field. Options are the third argument.",
    ],
    [
      "several faults",
      ["queueId", "name", "nickname"],
      (api) => api.entries.create("x", { phone: "919800000001", nickname: "x" } as never),
      "entries.create: queueId must be 20 to 32 letters and digits. name is required. nickname is an unknown field.",
    ],
    [
      "an unknown parameter",
      ["day"],
      (api) => api.queues.get(queueId, { day: "x" } as object),
      "queues.get: day is an unknown parameter.",
    ],
    ["a text as the query", ["query"], (api) => api.queues.get(queueId, "2026-11-21" as never)],
    [
      "a query that hides its values",
      ["query"],
      (api) => api.entries.list(queueId, new URLSearchParams({ date: "x" }) as object),
    ],
    [
      "a body that hides its values",
      ["body"],
      (api) => api.entries.create(queueId, new Map(Object.entries(customer1)) as never),
    ],
    [
      "a promise as the query",
      ["query"],
      (api) => api.queues.get(queueId, Promise.resolve({ date: "2026-11-21" }) as object),
    ],
    [
      "an instance whose fields JSON does not have",
      ["name", "phone"],
      (api) => {
        class Person {
          get name() {
            return "Customer 1";
          }
          get phone() {
            return "919800000001";
          }
        }
        return api.entries.create(queueId, new Person());
      },
    ],
    [
      "an option among the parameters",
      ["signal"],
      (api) => api.entries.list(queueId, { signal: AbortSignal.abort() } as object),
      "entries.list: signal is an unknown parameter. Options are the third argument.",
    ],
    [
      "an option of a list without an id",
      ["timeoutMs"],
      (api) => api.appointments.list({ timeoutMs: 5 } as object),
      "appointments.list: timeoutMs is an unknown parameter. Options are the second argument.",
    ],
  ];

  test.each(calls)("%s", async (_, fields, call, message) => {
    const fetch = giving({});
    const world = new World({ fetch });
    const failure = await world.failure(Promise.resolve(call(world.api)));
    expect(failure).toBeInstanceOf(InvalidRequestError);
    const nothingSent = { status: null, attempts: 0, outcome: "none" };
    expect(failure).toMatchObject({ ...nothingSent, code: "invalid_request" });
    expect((failure as InvalidRequestError).details.map(({ field }) => field)).toEqual(fields);
    if (message) expect(failure).toMatchObject({ message });
    expect(fetch).not.toHaveBeenCalled();
  });

  const given = { idempotencyKey: "order-00001" };
  const wrong = { ...given, maxRetries: -1 };
  const none = { idempotencyKey: null };
  const generated = { idempotencyKey: expect.any(String) };
  const nameless = { ...customer1, name: "" };

  test.each<[string, object, Call]>([
    ["argument", given, ({ entries }) => entries.create(queueId, nameless, given)],
    ["argument", generated, ({ entries }) => entries.create(queueId, nameless)],
    ["option", given, ({ entries }) => entries.create(queueId, customer1, wrong)],
    ["base URL", given, () => new QueueApi({ apiKey }).entries.create(queueId, customer1, given)],
    ["path", given, (api) => api.request("POST", "v1/tickets", given)],
    ["key", none, ({ entries }) => entries.create(queueId, customer1, { idempotencyKey: "short" })],
    ["id of a read", none, ({ entries }) => entries.get("x")],
  ])("and the error of a wrong %s has the key %j", async (_, key, call) => {
    const refused = Promise.resolve(call(new World({}).api));
    await expect(refused).rejects.toMatchObject({ attempts: 0, ...key });
  });

  test("but an unknown status is sent to the service", async () => {
    const fetch = giving({ data: [], nextCursor: null });
    await new World({ fetch }).api.entries.list(queueId, { status: "TELEPORTED" }).all();
    expect(fetch.mock.lastCall?.[0]).toContain("status=TELEPORTED");
  });
});

describe("a wrong option is an error of its own, without a status, and nothing is sent:", () => {
  const ofCalls = "signal, timeoutMs, totalTimeoutMs, maxRetries, headers";
  const ofGet: readonly [message: string, options: unknown][] = [
    ["The option timeoutMs must be a number of milliseconds above 0.", { timeoutMs: 0 }],
    [
      "The option totalTimeoutMs must be a number of milliseconds above 0.",
      { totalTimeoutMs: NaN },
    ],
    ["The option maxRetries must be a whole number, 0 or more.", { maxRetries: 0.5 }],
    [`The option retries is unknown (known: ${ofCalls}).`, { retries: 3 }],
    ["The option signal must be an AbortSignal.", { signal: {} }],
    ["The option headers must be an object.", { headers: null }],
    ["The option headers must be an object.", { headers: new Headers({ "x-a": "1" }) }],
    ["The option headers must be an object.", { headers: new (class Agent {})() }],
    ["The option headers.x-a must be a valid header.", { headers: { "x-a": "a\nb" } }],
    ...["Authorization", "Connection", "Keep-Alive", "Upgrade", "Expect"].map(
      (name): [string, object] => [
        `The option headers.${name} is set by the client itself.`,
        { headers: { [name]: "x" } },
      ],
    ),
    ["The options must be an object.", "svc_live_x_y"],
  ];
  const ofAll: readonly [message: string, options: unknown][] = [
    ["The option maximum is unknown (known: max).", { maximum: 5 }],
    ["The option max must be a whole number, 0 or more.", { max: 0.5 }],
    ["The options must be an object.", [["x"]]],
  ];
  const options: [string, Call][] = [
    ...["idempotencykey", "idempotency_key"].map((name): [string, Call] => [
      `entries.create: The option ${name} is unknown (did you mean idempotencyKey?).`,
      (api) => api.entries.create(queueId, customer1, { [name]: "slip-0001" }),
    ]),
    [
      `entries.list: The option intervalMs is unknown (known: ${ofCalls}).`,
      (api) => api.entries.list(queueId, {}, { intervalMs: 5 } as never).all(),
    ],
    [
      `entries.watch: The option interval is unknown (known: ${ofCalls}, intervalMs, maxIntervalMs, onPollError).`,
      (api) => api.entries.watch(queueId, {}, { interval: 5 } as never).next(),
    ],
    [
      "entries.watch: The option intervalMs must be a number of milliseconds above 0. The option onPollError must be a function.",
      (api) => api.entries.watch(queueId, {}, { intervalMs: -1, onPollError: "x" } as never).next(),
    ],
    [
      "entries.watch: The options must be an object.",
      (api) => api.entries.watch(queueId, {}, null as never).next(),
    ],
    [
      "request: The option query must contain only texts, numbers and booleans.",
      (api) => api.request("GET", "/v1/queues", { query: { limit: {} as never } }),
    ],
    [
      "request: The option body must be a JSON value.",
      (api) => api.request("POST", "/v1/queues", { body: { of: 5n } }),
    ],
    ...[undefined, "", 5, "\ud800"].map((from): [string, Call] => [
      "entries.create: The option idempotencyKey must be made from a text that is not empty.",
      (api) => api.entries.create(queueId, customer1, { idempotencyKey: { from } as never }),
    ]),
    ...[{}, { from: "abc", salt: "x" }].map((idempotencyKey): [string, Call] => [
      "The option idempotencyKey must be",
      (api) => api.request("POST", "/v1/queues", { idempotencyKey: idempotencyKey as never }),
    ]),
    [
      "entries.create: The option idempotencyKey must be 8 to 64 letters, digits, _ or -; for any other text, give { from: text }.",
      (api) => api.entries.create(queueId, customer1, { idempotencyKey: "+91 98000 00001" }),
    ],
    ...ofGet.map(([message, given]): [string, Call] => [
      `me.get: ${message}`,
      (api) => api.me.get(given as never),
    ]),
    ...ofAll.map(([message, given]): [string, Call] => [
      `entries.list().all: ${message}`,
      (api) => api.entries.list(queueId).all(given as never),
    ]),
  ];

  test.each(options)("%s", async (message, call) => {
    const fetch = vi.fn();
    const logger = { debug() {}, warn() {}, info: vi.fn() };
    const { api } = new World({ fetch, logger });
    const failure: unknown = await call(api).then(null, (error: unknown) => error);
    expect(failure).toBeInstanceOf(InvalidOptionError);
    expect(failure).toMatchObject({ attempts: 0, isRetryable: false });
    const path = expect.stringMatching(/^\/v1\//);
    expect(failure).toMatchObject({
      operation: expect.any(String),
      method: expect.stringMatching(/^(GET|POST)$/),
      path,
    });
    expect(logger.info).toHaveBeenCalledExactlyOnceWith(
      `queue-api: ${(failure as Error).message}`,
      expect.objectContaining({ error: "InvalidOptionError", attempts: 0 }),
    );
    expect((failure as Error).message).toContain(message);
    expect(failure).not.toHaveProperty("status");
    expect(fetch).not.toHaveBeenCalled();
  });

  test("but an undefined option is ignored", async () => {
    const { api } = new World({ fetch: giving({ data: [] }) });
    expect(await api.queues.list({ retries: undefined } as never)).toEqual([]);
  });
});

describe("the request that is sent", () => {
  test("rejects with the error of a getter of its person, and of its query", async () => {
    const api = new QueueApi({ apiKey, baseUrl: "https://queue.example", fetch: vi.fn() });
    const broken = (name: string) =>
      Object.defineProperty({}, name, {
        enumerable: true,
        get: () => {
          throw new Error("not loaded");
        },
      });
    const calls = [
      api.entries.create(queueId, broken("name") as typeof customer1),
      api.queues.get(queueId, broken("date")),
      api.request("GET", "/v1/queues", { query: broken("limit") }),
    ];
    for (const call of calls) await expect(call).rejects.toThrow("not loaded");
  });

  test("has the query, the headers and the body as they were when the call started, also with a derived key", async () => {
    const fetch = giving({ data: anEntry() });
    const api = new QueueApi({ apiKey, baseUrl: "https://queue.example", fetch });
    const query = { limit: 1 };
    const headers = { "x-shift": "early" };
    const body = { rows: 1 };
    const options = { query, headers, body, idempotencyKey: { from: "message 1" } };
    const call = api.request("POST", "/v1/imports", options);
    query.limit = 2;
    headers["x-shift"] = "late";
    body.rows = 2;
    await call;
    const [url, init] = fetch.mock.calls[0] ?? [];
    expect(url).toBe("https://queue.example/v1/imports?limit=1");
    expect(init?.headers).toMatchObject({ "x-shift": "early" });
    expect(init?.body).toBe('{"rows":1}');
  });

  test("has no undefined field, whatever its name", async () => {
    const fetch = giving({ data: anEntry() });
    const api = new QueueApi({ apiKey, baseUrl: "https://queue.example", fetch });
    const person = { ...customer1, nickname: undefined };
    await api.entries.create(queueId, person);
    expect(JSON.parse(String(fetch.mock.calls[0]?.[1].body))).toEqual(customer1);
  });

  test("has no undefined parameter, whatever its name", async () => {
    const fetch = giving({ data: [], nextCursor: null });
    const api = new QueueApi({ apiKey, baseUrl: "https://queue.example", fetch });
    const query = { limit: 1, day: undefined };
    await api.entries.list(queueId, query);
    const url = `https://queue.example/v1/queues/${queueId}/entries?limit=1`;
    expect(fetch.mock.calls[0]?.[0]).toBe(url);
  });

  test("asks for pages of 100 when all items are read, also with an undefined limit", async () => {
    const fetch = giving({ data: [], nextCursor: null });
    const api = new QueueApi({ apiKey, baseUrl: "https://queue.example", fetch });
    await api.appointments.list({ limit: undefined }).all();
    expect(fetch.mock.calls[0]?.[0]).toBe("https://queue.example/v1/appointments?limit=100");
  });

  test("has the values that were checked: a getter is read once", async () => {
    const fetch = giving({ data: anEntry() });
    const api = new QueueApi({ apiKey, baseUrl: "https://queue.example", fetch });
    const once = (value: string) => vi.fn<() => string>().mockReturnValueOnce(value);
    const reading = <Fields extends object>(fields: Fields, name: string, value: string) =>
      Object.defineProperty(fields, name, { enumerable: true, get: once(value) });
    const call = api.queues.get(queueId, reading({}, "date", "2026-11-21"));
    await call.catch(() => {}); // the response is an entry
    expect(fetch.mock.lastCall?.[0]).toMatch(/\?date=2026-11-21$/);
    await api.entries.create(queueId, reading({ ...customer1 }, "name", customer1.name));
    expect(JSON.parse(String(fetch.mock.lastCall?.[1].body))).toEqual(customer1);
  });

  test("has the body as it was when the call started, at each attempt", async () => {
    const fetch = giving({ data: anEntry() });
    fetch.mockRejectedValueOnce(new TypeError("fetch failed"));
    const world = new World({ fetch });
    const body = { ...customer1 };
    const call = world.api.entries.create(queueId, body);
    body.name = "Somebody else";
    await world.run(call);
    const bodies = fetch.mock.calls.map(([, init]) => init.body);
    expect(bodies).toEqual(Array(2).fill(JSON.stringify(customer1)));
  });

  test("can be given as instances of classes, as frameworks make them of what they receive", async () => {
    class Person {
      name = customer1.name;
      phone = customer1.phone;
      serviceId = null;
    }
    class Day {
      date = "2026-11-21";
    }
    const fetch = giving({ data: [anEntry()], nextCursor: null });
    fetch.mockResolvedValueOnce(Response.json({ data: anEntry() }));
    const { api } = new World({ fetch });
    await api.entries.create(queueId, new Person());
    expect(fetch.mock.lastCall?.[1].body).toBe(JSON.stringify(customer1));
    await api.entries.list(queueId, new Day());
    expect(fetch.mock.lastCall?.[0]).toMatch(/\?date=2026-11-21$/);
  });

  test("has no body and no key where none is defined", async () => {
    const server = await faultServer(always(409, {}));
    const world = World.of(server);
    await world.failure(world.api.entries.cancel(entryId));
    expect(server.requests[0]).toMatchObject({ method: "POST", body: "" });
    expect(server.requests[0]?.headers).not.toHaveProperty("idempotency-key");
    expect(server.requests[0]?.headers).not.toHaveProperty("content-type");
  });
});
