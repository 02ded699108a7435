import type { ErrorResponse } from "@queue-api/contract";
import { QueueApi, RateLimitError } from "@queue-api/sdk";
import {
  defaultSeed,
  InvalidSeedError,
  mockQueueApi,
  OwnerError,
  type QueueApiMock,
} from "@queue-api/testkit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { caller, customer } from "./caller.js";

let mock: ReturnType<typeof mockQueueApi>;
beforeEach(() => {
  mock = mockQueueApi();
});
const get = (path: string) => caller(mock).get(path);
const create = (idempotencyKey?: string) => caller(mock).create(idempotencyKey);
const front = () => mock.ids.queue("front");
const client = (of = mock, apiKey = of.key()) =>
  new QueueApi({ baseUrl: of.baseUrl, apiKey, fetch: of.fetch, totalTimeoutMs: 20_000 });

afterEach(() => void vi.useRealTimers());

describe("a mock", () => {
  it("responds like the service, with the time of its clock", async () => {
    const answer = await get("/v1/queues");
    expect(answer.status).toBe(200);
    expect(answer.url).toBe("https://queue.example/v1/queues");
    expect(await answer.json()).toEqual({
      data: [
        expect.objectContaining({ id: mock.ids.queue("front"), name: "Front desk" }),
        expect.objectContaining({ id: mock.ids.queue("paused"), isTokenCreationPaused: true }),
        expect.objectContaining({ id: mock.ids.queue("closed"), isActive: false }),
      ],
    });
    expect(answer.headers.get("Date")).toBe("Sat, 21 Nov 2026 04:30:00 GMT");
    expect(answer.headers.get("RateLimit-Remaining")).toBe("999999");
  });

  it("refuses an id that cannot be decoded, and records its path as it was sent", async () => {
    const answer = await get("/v1/entries/%C3");
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { details: [{ field: "entryId" }] } });
    expect(mock.requests).toMatchObject([{ path: "/v1/entries/%C3", status: 400 }]);
  });

  it("gives responses whose URL an interceptor can set, as msw before 2.7 does", async () => {
    const answer = await get("/v1/queues");
    Object.defineProperty(answer, "url", { value: "https://queue.example/" });
    expect(answer.url).toBe("https://queue.example/");
  });

  it("has the same ids and keys in each run with the same random seed", async () => {
    const run = async (randomSeed = "one") => {
      const mock = mockQueueApi({ randomSeed });
      const created = await mock.keys.create();
      const answer = await caller(mock).create();
      const headers = [...answer.headers];
      return [mock.key(), mock.ids.queue("front"), created, await answer.json(), headers];
    };
    const [key, queueId] = await run();
    expect(await run()).toEqual(await run());
    expect(await run("another")).not.toContain(key);
    expect(await run("another")).not.toContain(queueId);
  });

  it("is independent of every other mock", async () => {
    const [one, other] = [mockQueueApi(), mockQueueApi()];
    await one.queues.pause(one.ids.queue("front"));
    one.clock.advance("1d");
    one.faults.next("*", "reset-before");
    await expect(caller(one).create()).rejects.toThrow("fetch failed");
    expect((await caller(other).create()).status).toBe(201);
    expect(other.requests).toHaveLength(1);
  });

  it("is a sandbox unless a seed says otherwise, for tests that must not touch a real business", async () => {
    const headers = { authorization: `Bearer ${mock.key()}`, "sandbox-only": "true" };
    expect((await mock.fetch(`${mock.baseUrl}/v1/queues`, { headers })).status).toBe(200);
  });

  it("responds at its base URL in any notation, and nowhere else", async () => {
    const mock = mockQueueApi({ baseUrl: "HTTPS://Queue.Example:443/" });
    expect(mock.baseUrl).toBe("https://queue.example");
    expect((await mock.fetch("https://QUEUE.example/v1?#top")).status).toBe(200);
    for (const origin of ["https://queue.example.org", "http://queue.example", ""]) {
      await expect(mock.fetch(`${origin}/v1`), origin).rejects.toThrow(TypeError);
    }
    expect(mock.requests).toHaveLength(1);
  });

  it.each(["https://clinic.example/v1", "https://clinic.example/queue/v1/"])(
    "is reached by the SDK at %s, with its base URL",
    async (baseUrl) => {
      const mock = mockQueueApi({ baseUrl });
      const options = { apiKey: mock.key(), fetch: mock.fetch };
      for (const given of [baseUrl, mock.baseUrl]) {
        const { entries } = new QueueApi({ ...options, baseUrl: given });
        const creation = entries.create(mock.ids.queue("front"), customer);
        const { data, response } = await creation.withResponse();
        const path = `/v1/queues/${mock.ids.queue("front")}/entries`;
        expect(response.url).toBe(mock.baseUrl + path);
        expect(response.headers.get("Location")).toBe(`${mock.baseUrl}/v1/entries/${data.id}`);
        expect(mock.requests.at(-1)?.path).toBe(path);
      }
    },
  );

  it.each([
    [null, "the seed has an error, nothing was written: it must be an object"],
    [{ businesses: [{ slug: "a b", name: "Clinic" }] }, "businesses[0].slug"],
    [{ businesses: [{ slug: "clinic", name: () => "Clinic" }] }, "businesses[0].name"],
    [{ businesses: [{ slug: "clinic", name: "Clinic", keys: ["kiosk"] }] }, "keys[0] must be"],
  ])("refuses the seed %j, and names the field", (seed, message) => {
    const start = () => mockQueueApi({ seed: seed as never });
    expect(start).toThrow(InvalidSeedError);
    expect(start).toThrow(message);
  });

  it("works at the beginning of time, where fake clocks start", async () => {
    const mock = mockQueueApi({ clock: 0 });
    expect((await caller(mock).get("/v1/me")).status).toBe(200);
  });

  it("responds to thousands of requests at once", async () => {
    const calls = Array.from({ length: 1_200 }, () => get("/v1/me"));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it("applies an act that nobody waits for before a reset to what was there then", async () => {
    const paused = mock.queues.pause(front());
    mock.reset();
    expect(await paused).toMatchObject({ isTokenCreationPaused: true });
    expect((await create()).status).toBe(201);
  });

  it("answers a request that is under way at a reset from what was there then", async () => {
    await get("/v1");
    const underWay = [create(), get("/v1/me")];
    mock.reset();
    mock.answers.next("GET /v1/me", { key: { name: "Planned later" } });
    expect((await Promise.all(underWay)).map(({ status }) => status)).toEqual([201, 200]);
    expect([mock.requests, mock.answers.pending]).toEqual([[], 1]);
    expect(await (await create()).json()).toMatchObject({ data: { token: "A5" } });
  });

  it("sends nothing, and uses up no fault, for a signal that is aborted", async () => {
    mock.faults.next("*", "reset-before");
    const reason = new Error("the customer went away");
    const aborted = mock.fetch(`${mock.baseUrl}/v1/me`, { signal: AbortSignal.abort(reason) });
    await expect(aborted).rejects.toBe(reason);
    expect(mock.requests).toEqual([]);
    await expect(get("/v1/me")).rejects.toThrow("fetch failed");
  });

  it("takes an undefined option as left out", async () => {
    const limits = { requestsPerMinute: undefined, writesPerMinute: undefined };
    const keys = [{ ref: "kiosk", name: "Kiosk", scopes: ["queue:read"], ...limits }];
    const seed = { businesses: [{ slug: "sunrise", name: "Sunrise", keys }] };
    const mock = mockQueueApi({ seed: seed as never });
    const made = await mock.keys.create({ name: undefined, ...limits } as never);
    for (const key of [mock.key(), made.key]) {
      const most = { requestsPerMinute: 1_000_000, writesPerMinute: 1_000_000 };
      expect((await client(mock, key).me.get()).limits).toMatchObject(most);
    }
  });

  it("leaves no timer behind, also under fake timers", async () => {
    vi.useFakeTimers();
    mock = mockQueueApi(); // starts under them too
    expect((await create("key-0001")).status).toBe(201);
    expect((await get("/v1/me")).status).toBe(200);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("starts again on reset, with the same ids", async () => {
    const before = [mock.key(), front(), mock.clock.now()];
    const first = await (await create()).json();
    mock.clock.advance("3h");
    mock.faults.next("*", "html");
    mock.answers.next("GET /v1/me");
    mock.down({ for: "1d" });
    await mock.queues.pause(front());

    mock.reset();

    expect([mock.key(), front(), mock.clock.now()]).toEqual(before);
    expect(mock.requests).toEqual([]);
    expect([mock.faults.pending, mock.answers.pending]).toEqual([0, 0]);
    expect(await (await create()).json()).toEqual(first);
  });

  it("has the seed that it was given after a reset, whatever the test has changed in its object", () => {
    const seed = { businesses: [...defaultSeed.businesses] };
    const mock = mockQueueApi({ seed });
    const key = mock.key();
    seed.businesses.length = 0;
    mock.reset();
    expect(mock.key()).toBe(key);
  });

  it("takes any object as its seed", async () => {
    const source = `export const businesses = ${JSON.stringify(defaultSeed.businesses)}`;
    const inModule = await import(`data:text/javascript,${encodeURIComponent(source)}`);
    for (const seed of [new Proxy(defaultSeed, {}), inModule]) {
      expect(mockQueueApi({ seed }).key()).toBe(mock.key());
    }
  });

  it("has the same ids and keys after a reset, and today's entries, with a clock that moves on", async () => {
    let time = Date.UTC(2027, 0, 31, 8);
    const mock = mockQueueApi({ clock: () => time });
    const names = () => [mock.key(), mock.ids.queue("front"), mock.ids.entry("first")];
    const before = names();
    time += 86_400_000;
    mock.reset();
    expect(names()).toEqual(before);
    expect(names()).toEqual([mockQueueApi().key(), ...names().slice(1)]);
    const answer = await caller(mock).get(`/v1/entries/${mock.ids.entry("first")}`);
    expect(await answer.json()).toMatchObject({ data: { issuedAt: "2027-02-01T07:48:00.000Z" } });
  });

  it("aborts pending requests when it is closed, and refuses new ones", async () => {
    mock.faults.next("*", "slow", { by: "1h" });
    const underWay = expect(get("/v1/me")).rejects.toThrow("fetch failed");
    await mock.close();
    await underWay;
    expect(mock.requests[0]?.status).toBeNull();
    await expect(get("/v1/me")).rejects.toThrow("fetch failed");
  });

  it("accepts a streamed body", async () => {
    const body = new Blob(['{"name":"Customer 9",', '"phone":"919800000009"}']).stream();
    const headers = { Authorization: `Bearer ${mock.key()}`, "Content-Type": "application/json" };
    const path = `/v1/queues/${front()}/entries`;
    const streamed = { method: "POST", headers, body, duplex: "half" } as RequestInit;
    expect((await mock.fetch(mock.baseUrl + path, streamed)).status).toBe(201);
  });
});

describe("the keys of a mock", () => {
  it("have no limit that a test reaches by accident, also when its client paces itself", async () => {
    const made = await mock.keys.create();
    for (const api of [client(), client(mock, made.key)]) {
      const create = () => api.entries.create(front(), customer);
      for (let count = 0; count < 40; count++) await create();
      mock.answers.next("POST /v1/queues/:queueId/entries", { position: 1 }, { times: 40 });
      await Promise.all(Array.from({ length: 40 }, create));
    }
    expect(mock.requests).toHaveLength(160);
  });

  it("do not slow down the next test after a refusal at the limit, if its client is new or does not pace itself", async () => {
    const options = { baseUrl: mock.baseUrl, apiKey: mock.key(), fetch: mock.fetch, maxRetries: 0 };
    const unpaced = new QueueApi({ ...options, pacing: false });
    for (const api of [new QueueApi(options), unpaced]) {
      mock.faults.next("*", "rate-limited", { retryAfterSeconds: 3_600 });
      const refused = api.entries.create(front(), customer);
      await expect(refused).rejects.toBeInstanceOf(RateLimitError);
    }

    mock.reset();

    for (const api of [new QueueApi(options), unpaced]) {
      const { token } = await api.entries.create(front(), customer);
      expect(token).toMatch(/^A[56]$/);
    }
  });

  it("have the limits that the seed gives them", async () => {
    const [business] = defaultSeed.businesses;
    const keys = [{ ref: "slow", name: "Slow", requestsPerMinute: 7, writesPerMinute: 1 }];
    const mock = mockQueueApi({ seed: { businesses: [{ ...business, keys }] } });
    const { limits } = await client(mock).me.get();
    expect([limits.requestsPerMinute, limits.writesPerMinute]).toEqual([7, 1]);
    await caller(mock).create();
    expect(await code(caller(mock).create())).toBe("rate_limited");
  });
});

describe("the clock of a mock", () => {
  it("does not advance on its own", async () => {
    const mock = mockQueueApi({ clock: "2027-01-31T18:29:59Z" });
    expect(mock.clock.now()).toBe(Date.UTC(2027, 0, 31, 18, 29, 59));
    expect(await today(mock)).toBe("2027-01-31");
    mock.clock.advance("1s");
    expect(await today(mock)).toBe("2027-02-01");
    mock.clock.set(new Date("2027-01-30T12:00:00Z"));
    expect(await today(mock)).toBe("2027-01-30");
  });

  it("uses another clock if given", () => {
    let time = 1_000;
    const mock = mockQueueApi({ clock: () => time });
    time += 500;
    expect(mock.clock.now()).toBe(1_500);
    mock.clock.advance("2s");
    expect(mock.clock.now()).toBe(3_500);
    mock.clock.set(10_000);
    time += 1;
    expect(mock.clock.now()).toBe(10_001);
  });

  it("reads the system's clock at each use, so that fake timers may start later than the mock", async () => {
    const mock = mockQueueApi({ clock: "system" });
    vi.useFakeTimers({ now: Date.UTC(2027, 0, 31, 8) });
    mock.reset();
    expect(mock.clock.now()).toBe(Date.UTC(2027, 0, 31, 8));
    vi.advanceTimersByTime(86_400_000);
    expect(await today(mock)).toBe("2027-02-01");
  });

  it.each([
    [250, 250],
    ["250ms", 250],
    ["1.5s", 1_500],
    ["15m", 900_000],
    ["2h", 7_200_000],
    ["1d", 86_400_000],
  ] as const)("advances by %s", (duration, expected) => {
    const mock = mockQueueApi({ clock: 0 });
    mock.clock.advance(duration);
    expect(mock.clock.now()).toBe(expected);
  });

  it("ends windows, and expires keys", async () => {
    const { key } = await mock.keys.create({ days: 1, requestsPerMinute: 2 });
    const requestStatus = async () => (await caller(mock, key).get("/v1/me")).status;
    expect([await requestStatus(), await requestStatus(), await requestStatus()]).toEqual([
      200, 200, 429,
    ]);
    mock.clock.advance("60s");
    expect(await requestStatus()).toBe(200);
    mock.clock.advance("1d");
    expect(await requestStatus()).toBe(401);
  });
});

describe("a mock that is down", () => {
  it("refuses every connection until its clock has moved on", async () => {
    mock.faults.next("*", "html");
    mock.down({ for: "60s" });
    for (const wait of ["30s", "29999ms", "1ms"] as const) {
      const cause = { code: "ECONNREFUSED" };
      await expect(create()).rejects.toMatchObject({ name: "TypeError", cause });
      mock.clock.advance(wait);
    }
    expect((await create()).status).toBe(502);
    expect((await create()).status).toBe(201);
    expect(mock.requests.map(({ fault, status }) => fault ?? status)).toEqual([
      ...["down", "down", "down"],
      ...["html", 201],
    ]);
  });
});

describe("the owner's actions of a mock", () => {
  it.each([
    ["call", "second", "IN_SERVICE"],
    ["complete", "inside", "COMPLETED"],
    ["noShow", "first", "NO_SHOW"],
    ["requeue", "inside", "WAITING"],
    ["undo", "served", "IN_SERVICE"],
  ] as const)(
    "%s changes the entry that the service has, and gives it",
    async (act, ref, status) => {
      const id = mock.ids.entry(ref);
      expect(await mock.entries[act](id)).toMatchObject({ id, status });
      expect(await client().entries.get(id)).toMatchObject({ status });
    },
  );

  it("call the next person of a queue, and transfer a person to another one", async () => {
    const called = await mock.entries.next(front());
    expect(called).toMatchObject({ id: mock.ids.entry("first"), status: "IN_SERVICE" });
    const laboratory = mock.ids.queue("paused");
    await mock.queues.resume(laboratory);
    const transferred = await mock.entries.transfer(mock.ids.entry("second"), laboratory);
    expect(transferred).toMatchObject({ id: mock.ids.entry("second"), token: "L1" });
  });

  it("are refused like those on the dashboard", async () => {
    const { entries, ids } = mock;
    await expect(entries.transfer("nobody", front())).rejects.toThrow(OwnerError);
    const same = entries.transfer(ids.entry("first"), front());
    await expect(same).rejects.toThrow("is in this queue already");
    await expect(entries.call(ids.entry("served"))).rejects.toMatchObject({
      message: expect.stringContaining("the entry is COMPLETED"),
      refusal: { code: "invalid_state" },
    });
  });

  it.each([
    ['mock.ids.entry("first")', () => mock.entries.call("first")],
    ['mock.ids.entry("first")', () => mock.entries.transfer("first", front())],
    ['mock.ids.queue("front")', () => mock.entries.transfer(mock.ids.entry("first"), "front")],
    ['mock.ids.queue("front")', () => mock.entries.next("front")],
    ['mock.ids.queue("front")', () => mock.queues.pause("front")],
    ['mock.ids.appointment("morning")', () => mock.appointments.set("morning", "COMPLETED")],
    ['mock.key("kiosk")', () => mock.keys.revoke("kiosk")],
  ])("refuse a ref of the seed, and point to %s", (lookUp, act) => {
    expect(act).toThrow(new RangeError(`the id is a ref of the seed: pass ${lookUp}`));
  });

  it("apply to later requests, even when they are not awaited", async () => {
    void mock.entries.call(mock.ids.entry("first"));
    const answer = await get(`/v1/entries/${mock.ids.entry("first")}`);
    expect(await answer.json()).toMatchObject({ data: { status: "IN_SERVICE", position: null } });
  });

  it("happen in the order of their calls, also when they are not awaited", async () => {
    const { entries, queues, ids } = mock;
    const first = ids.entry("first");
    const done = [entries.call(first), entries.complete(first), entries.call(first)];
    const flags = [queues.pause(front()), queues.close(front()), queues.resume(front())];
    expect(await Promise.allSettled(done)).toMatchObject([
      { value: { status: "IN_SERVICE" } },
      { value: { status: "COMPLETED" } },
      { reason: { refusal: { code: "invalid_state" } } },
    ]);
    expect((await Promise.all(flags)).at(-1)).toMatchObject({
      isActive: false,
      isTokenCreationPaused: false,
    });
  });

  type Act = () => Promise<unknown>;

  it.each<[code: string, act: Act, opposite: Act]>([
    ["queue_paused", () => mock.queues.pause(front()), () => mock.queues.resume(front())],
    ["queue_unavailable", () => mock.queues.close(front()), () => mock.queues.open(front())],
    [
      "api_access_disabled",
      () => mock.businesses.access(false),
      () => mock.businesses.access(true),
    ],
    [
      "plan_limit_reached",
      () => mock.businesses.dailyTokenLimit(4),
      () => mock.businesses.dailyTokenLimit(null),
    ],
  ])("let a creation be refused with %s until the opposite act", async (refusal, act, opposite) => {
    await act();
    expect(await code(create())).toBe(refusal);
    await opposite();
    expect((await create()).status).toBe(201);
  });

  it("create and revoke keys", async () => {
    const { key } = await mock.keys.create({ scopes: ["appointments:read"] });
    expect((await caller(mock, key).get("/v1/appointments")).status).toBe(200);
    expect(await code(caller(mock, key).get("/v1/queues"))).toBe("insufficient_scope");
    await mock.keys.revoke(key);
    expect(await code(caller(mock, key).get("/v1/appointments"))).toBe("unauthorized");
    await mock.keys.revoke(mock.key("kiosk"));
    expect(await code(get("/v1/me"))).toBe("unauthorized");
  });

  it("set the status of appointments", async () => {
    const morning = mock.ids.appointment("morning");
    await mock.appointments.set(morning, "NO_SHOW");
    const { appointments } = client(mock, mock.key("office"));
    expect((await appointments.get(morning)).status).toBe("NO_SHOW");
  });
});

describe("a mock refuses at once", () => {
  type Wrong = (mock: QueueApiMock) => unknown;
  const made =
    (options: unknown): Wrong =>
    () =>
      mockQueueApi(options as never);
  const key =
    (options: unknown): Wrong =>
    ({ keys }) =>
      keys.create(options as never);

  it.each<[message: string, Wrong]>([
    ["no such option: foo; the options are seed, clock, randomSeed, baseUrl", made({ foo: 1 })],
    ["baseUrl must be an address", made({ baseUrl: "queue.example" })],
    ["baseUrl must be an address", made({ baseUrl: "localhost:3000" })],
    ["randomSeed must be a string", made({ randomSeed: 7 })],
    ["the options must be an object", made(null)],
    ["an instant must be milliseconds, a Date, or a text like 2026", made({ clock: null })],
    ["an instant must be", made({ clock: "tomorrow" })],
    ["an instant must be", made({ clock: () => Number.NaN })],
    ["an instant must be", ({ clock }) => clock.set("tomorrow")],
    ["a duration must be milliseconds", ({ clock }) => clock.advance("2 hours" as "2h")],
    ["a duration must be milliseconds", ({ clock }) => clock.advance(Number.NaN)],
    ["a duration must not be below 0", ({ clock }) => clock.advance(-5_000)],
    ["a duration must not be below 0", ({ clock }) => clock.advance("-1h")],
    ["the options must be an object", ({ down }) => down(undefined as never)],
    ["for is required", ({ down }) => down({} as never)],
    ["a duration must not be below 0", ({ down }) => down({ for: "-60s" })],
    [
      "no such option: status; the options are for",
      ({ down }) => down({ for: 60, status: 503 } as never),
    ],
    ["access must be a boolean", ({ businesses }) => businesses.access("off" as never)],
    ["dailyTokenLimit", ({ businesses }) => businesses.dailyTokenLimit(-1)],
    [
      "status must be one of CONFIRMED, ",
      ({ appointments }) => appointments.set("x", "LATE" as never),
    ],
    ["nme is not a known field", key({ nme: "Kiosk" })],
    ["days must be a whole number from 1 to 365", key({ days: 400 })],
    ["scopes[0] must be one of queue:read, ", key({ scopes: ["queue:raed"] })],
    ["allowIps[0] ", key({ allowIps: ["10.0.0.300"] })],
    ["it must be an object", key("kiosk")],
  ])("%s", (message, wrong) => {
    expect(() => wrong(mock)).toThrow(RangeError);
    expect(() => wrong(mock)).toThrow(message);
  });
});

describe("the refs of a seed", () => {
  const [clinic] = defaultSeed.businesses;
  const two = {
    businesses: [
      { ...clinic, slug: "north", name: "North" },
      {
        ...clinic,
        slug: "south",
        name: "South",
        queues: [],
        appointments: [],
        services: [{ ref: "xray", name: "X-ray" }],
      },
    ],
  };

  it("stand for ids and keys", () => {
    const mock = mockQueueApi({ seed: two });
    expect(mock.ids.queue("front")).toMatch(/^\w{24}$/);
    expect(mock.ids.service("xray")).toMatch(/^\w{24}$/);
    expect(mock.ids.business("south")).toMatch(/^\w{24}$/);
    expect(mock.key("kiosk", "north")).not.toBe(mock.key("kiosk", "south"));
  });

  it("name the existing refs in the error for an unknown ref", () => {
    expect(() => mock.ids.queue("back" as never)).toThrow("their refs: front, paused, closed");
    expect(() => mock.key("door" as never)).toThrow("their refs: kiosk, screen, office");
    expect(() => mock.ids.business("moon" as never)).toThrow("of the seed: sunrise");
  });

  it("need the business if two businesses have the same ref", () => {
    const mock = mockQueueApi({ seed: two });
    expect(() => mock.key("kiosk")).toThrow("add a slug");
    expect(() => mock.key()).toThrow("of the seed: north, south");
    expect(() => mock.businesses.access(false)).toThrow("of the seed: north, south");
  });
});

it("the requests of a mock are recorded in order, with their responses", async () => {
  await create("key-0001");
  mock.faults.next("GET /v1/me", "reset-before");
  await expect(get("/v1/me?date=2026-11-21")).rejects.toThrow();
  await mock.fetch("https://queue.example/elsewhere", { method: "PUT", body: "not JSON" });

  expect(mock.requests).toEqual([
    {
      method: "POST",
      path: `/v1/queues/${mock.ids.queue("front")}/entries`,
      route: "POST /v1/queues/:queueId/entries",
      query: {},
      headers: {
        authorization: `Bearer ${mock.key()}`,
        "content-type": "application/json",
        "idempotency-key": "key-0001",
      },
      body: { name: "Customer 9", phone: "919800000009" },
      at: mock.clock.now(),
      fault: null,
      status: 201,
      requestId: expect.any(String),
    },
    expect.objectContaining({
      route: "GET /v1/me",
      query: { date: "2026-11-21" },
      body: null,
      fault: "reset-before",
      status: null,
      requestId: null,
    }),
    expect.objectContaining({ method: "PUT", route: null, body: "not JSON", status: 404 }),
  ]);
});

async function today(of: typeof mock): Promise<string> {
  return (await client(of).queues.get(of.ids.queue("front"))).date;
}

async function code(response: Promise<Response>): Promise<unknown> {
  return ((await (await response).json()) as ErrorResponse).error.code;
}
