import type { ErrorResponse, QueueSummary } from "@queue-api/contract";
import { QueueApi, RateLimitError } from "@queue-api/sdk";
import {
  defaultSeed,
  InvalidSeedError,
  mockQueueApi,
  OwnerError,
  type QueueApiMock,
} from "@queue-api/testkit";
import { afterEach, describe, expect, it, vi } from "vitest";
import { caller, customer } from "./caller.js";

afterEach(() => void vi.useRealTimers());

/** The smallest seed with a key. */
const oneKey = () => ({
  businesses: [{ slug: "sunrise", name: "Sunrise", keys: [{ ref: "desk", name: "Desk" }] }],
});

describe("a mock", () => {
  it("responds like the service, with the time of its clock", async () => {
    const mock = mockQueueApi();
    const answer = await caller(mock).get("/v1/queues");
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

  it("gives responses whose URL an interceptor can set, as msw before 2.7 does", async () => {
    const answer = await caller(mockQueueApi()).get("/v1/queues");
    Object.defineProperty(answer, "url", { value: "https://queue.example/" });
    expect(answer.url).toBe("https://queue.example/");
  });

  it("has the same ids and keys in each run with the same random seed", async () => {
    const run = async (randomSeed = "one") => {
      const mock = mockQueueApi({ randomSeed });
      const created = await mock.keys.create();
      const answer = await caller(mock).create("front");
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
    await expect(caller(one).create("front")).rejects.toThrow("fetch failed");
    expect((await caller(other).create("front")).status).toBe(201);
    expect(other.requests).toHaveLength(1);
  });

  it("uses the given base URL, which can have a path", async () => {
    const mock = mockQueueApi({ baseUrl: "https://clinic.example/queue/" });
    const answer = await caller(mock).create("front");
    expect(answer.headers.get("Location")).toMatch(
      /^https:\/\/clinic\.example\/queue\/v1\/entries\//,
    );
    expect(mock.requests[0]?.path).toMatch(/^\/v1\/queues\//);
  });

  it("is a sandbox unless a seed says otherwise, for tests that must not touch a real business", async () => {
    const mock = mockQueueApi();
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
      const options = { baseUrl: mock.baseUrl, apiKey: mock.key(), fetch: mock.fetch };
      const { data, response } = await new QueueApi(options).queues.list().withResponse();
      expect([data.length, response.url]).toEqual([3, `${mock.baseUrl}/v1/queues`]);
      expect(await new QueueApi({ ...options, baseUrl }).queues.list()).toHaveLength(3);
    },
  );

  it("refuses an invalid seed, and names the field", () => {
    const seed = { businesses: [{ slug: "a b", name: "Clinic" }] };
    const start = () => mockQueueApi({ seed });
    expect(start).toThrow(InvalidSeedError);
    expect(start).toThrow(/businesses\[0\]\.slug/);
    expect(() => mockQueueApi({ seed: null as never })).toThrow("it must be an object");
  });

  it("works at the beginning of time, where fake clocks start", async () => {
    const mock = mockQueueApi({ clock: 0 });
    expect((await caller(mock).get("/v1/me")).status).toBe(200);
  });

  it("responds to thousands of requests at once", async () => {
    const mock = mockQueueApi();
    const headers = { Authorization: `Bearer ${mock.key()}` };
    const calls = Array.from({ length: 1_200 }, () =>
      mock.fetch(`${mock.baseUrl}/v1/me`, { headers }),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it("applies an act that nobody waits for before a reset to what was there then", async () => {
    const mock = mockQueueApi();
    const paused = mock.queues.pause(mock.ids.queue("front"));
    mock.reset();
    await paused;
    const { body } = await caller(mock).get("/v1/queues");
    expect(JSON.stringify(body)).not.toContain('"isTokenCreationPaused":true');
  });

  it("answers a request that is under way at a reset from what was there then", async () => {
    const mock = mockQueueApi();
    await caller(mock).get("/v1");
    const underWay = [caller(mock).create("front"), caller(mock).get("/v1/me")];
    mock.reset();
    mock.answers.next("GET /v1/me", { key: { name: "Planned later" } });
    expect((await Promise.all(underWay)).map(({ status }) => status)).toEqual([201, 200]);
    expect([mock.requests, mock.answers.pending]).toEqual([[], 1]);
    expect(await (await caller(mock).create("front")).json()).toMatchObject({
      data: { token: "A5" },
    });
  });

  it("sends nothing, and uses up no fault, for a signal that is aborted", async () => {
    const mock = mockQueueApi();
    mock.faults.next("*", "reset-before");
    const aborted = mock.fetch(`${mock.baseUrl}/v1/me`, { signal: AbortSignal.abort() });
    await expect(aborted).rejects.toThrow("aborted");
    expect(mock.requests).toEqual([]);
    expect(await mock.fetch(`${mock.baseUrl}/v1/me`).catch(() => null)).toBeNull();
  });

  it("takes an undefined option as left out", async () => {
    const limits = { requestsPerMinute: undefined, writesPerMinute: undefined };
    const keys = [{ ref: "kiosk", name: "Kiosk", scopes: ["queue:read"], ...limits }];
    const seed = { businesses: [{ slug: "sunrise", name: "Sunrise", keys }] };
    const mock = mockQueueApi({ seed: seed as never });
    const made = await mock.keys.create({ name: undefined, ...limits } as never);
    for (const key of [mock.key(), made.key]) {
      const headers = { Authorization: `Bearer ${key}` };
      const me = await mock.fetch(`${mock.baseUrl}/v1/me`, { headers });
      const most = { requestsPerMinute: 1_000_000, writesPerMinute: 1_000_000 };
      expect(await me.json()).toMatchObject({ data: { limits: most } });
    }
    expect(() =>
      mockQueueApi({ seed: { businesses: [{ ...seed.businesses[0], keys: ["kiosk"] }] } as never }),
    ).toThrow(/keys\[0\]/);
  });

  it("leaves no timer behind, also under fake timers", async () => {
    vi.useFakeTimers();
    const mock = mockQueueApi();
    expect((await caller(mock).create("front", "key-0001")).status).toBe(201);
    expect((await caller(mock).get("/v1/me")).status).toBe(200);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("starts again on reset, with the same ids", async () => {
    const mock = mockQueueApi();
    const before = [mock.key(), mock.ids.queue("front"), mock.clock.now()];
    const first = await (await caller(mock).create("front")).json();
    mock.clock.advance("3h");
    mock.faults.next("*", "html");
    mock.answers.next("GET /v1/me");
    mock.down({ for: "1d" });
    await mock.queues.pause(mock.ids.queue("front"));

    mock.reset();

    expect([mock.key(), mock.ids.queue("front"), mock.clock.now()]).toEqual(before);
    expect(mock.requests).toEqual([]);
    expect([mock.faults.pending, mock.answers.pending]).toEqual([0, 0]);
    expect(await (await caller(mock).create("front")).json()).toEqual(first);
  });

  it("has the seed that it was given after a reset, whatever the test has changed in its object", () => {
    const seed = oneKey();
    const mock = mockQueueApi({ seed });
    const key = mock.key();
    seed.businesses.length = 0;
    mock.reset();
    expect(mock.key()).toBe(key);
  });

  it("takes any object as its seed, and names the field that is wrong", async () => {
    const seed = oneKey();
    const source = `export const businesses = ${JSON.stringify(seed.businesses)}`;
    const inModule = await import(`data:text/javascript,${encodeURIComponent(source)}`);
    for (const given of [new Proxy(seed, {}), inModule]) {
      expect(mockQueueApi({ seed: given }).key()).toBe(mockQueueApi({ seed }).key());
    }
    const wrong = { businesses: [{ slug: "sunrise", name: () => "Sunrise" }] };
    expect(() => mockQueueApi({ seed: wrong as never })).toThrow(InvalidSeedError);
    expect(() => mockQueueApi({ seed: wrong as never })).toThrow("name");
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
    const mock = mockQueueApi();
    mock.faults.next("*", "slow", { by: "1h" });
    const underWay = expect(caller(mock).get("/v1/me")).rejects.toThrow("fetch failed");
    await mock.close();
    await underWay;
    expect(mock.requests[0]?.status).toBeNull();
    await expect(caller(mock).get("/v1/me")).rejects.toThrow("fetch failed");
  });

  it("accepts a streamed body", async () => {
    const mock = mockQueueApi();
    const body = new Blob(['{"name":"Customer 9",', '"phone":"919800000009"}']).stream();
    const headers = { Authorization: `Bearer ${mock.key()}`, "Content-Type": "application/json" };
    const path = `/v1/queues/${mock.ids.queue("front")}/entries`;
    const streamed = { method: "POST", headers, body, duplex: "half" } as RequestInit;
    expect((await mock.fetch(mock.baseUrl + path, streamed)).status).toBe(201);
  });
});

describe("the keys of a mock", () => {
  const client = (mock: QueueApiMock, apiKey = mock.key()) =>
    new QueueApi({ baseUrl: mock.baseUrl, apiKey, fetch: mock.fetch, totalTimeoutMs: 20_000 });

  it("have no limit that a test reaches by accident, also when its client paces itself", async () => {
    const mock = mockQueueApi();
    const made = await mock.keys.create();
    for (const api of [client(mock), client(mock, made.key)]) {
      const create = () => api.entries.create(mock.ids.queue("front"), customer);
      for (let count = 0; count < 40; count++) await create();
      mock.answers.next("POST /v1/queues/:queueId/entries", { position: 1 }, { times: 40 });
      await Promise.all(Array.from({ length: 40 }, create));
    }
    expect(mock.requests).toHaveLength(160);
  });

  it("do not slow down the next test after a refusal at the limit, if its client is new or does not pace itself", async () => {
    const mock = mockQueueApi();
    const options = { baseUrl: mock.baseUrl, apiKey: mock.key(), fetch: mock.fetch, maxRetries: 0 };
    const unpaced = new QueueApi({ ...options, pacing: false });
    for (const api of [new QueueApi(options), unpaced]) {
      mock.faults.next("*", "rate-limited", { retryAfterSeconds: 3_600 });
      const refused = api.entries.create(mock.ids.queue("front"), customer);
      await expect(refused).rejects.toBeInstanceOf(RateLimitError);
    }

    mock.reset();

    for (const api of [new QueueApi(options), unpaced]) {
      const { token } = await api.entries.create(mock.ids.queue("front"), customer);
      expect(token).toMatch(/^A[56]$/);
    }
  });

  it("have the limits that the seed gives them", async () => {
    const [business] = defaultSeed.businesses;
    const keys = [{ ref: "slow", name: "Slow", requestsPerMinute: 7, writesPerMinute: 1 }];
    const mock = mockQueueApi({ seed: { businesses: [{ ...business, keys }] } });
    const { limits } = await client(mock).me.get();
    expect([limits.requestsPerMinute, limits.writesPerMinute]).toEqual([7, 1]);
    await caller(mock).create("front");
    expect(await code(caller(mock).create("front"))).toBe("rate_limited");
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

  it("ends windows, expires keys and ends stored results", async () => {
    const mock = mockQueueApi();
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
    const mock = mockQueueApi();
    mock.faults.next("*", "html");
    mock.down({ for: "60s" });
    for (const wait of ["30s", "29999ms", "1ms"] as const) {
      const failed = await caller(mock)
        .create("front")
        .catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(TypeError);
      expect(failed).toMatchObject({ cause: { code: "ECONNREFUSED" } });
      mock.clock.advance(wait);
    }
    expect((await caller(mock).create("front")).status).toBe(502);
    expect((await caller(mock).create("front")).status).toBe(201);
    expect(mock.requests.map(({ fault, status }) => fault ?? status)).toEqual([
      ...["down", "down", "down"],
      ...["html", 201],
    ]);
  });
});

describe("the owner's actions of a mock", () => {
  type Act = (mock: ReturnType<typeof mockQueueApi>) => Promise<unknown>;

  it.each<[string, Act, object]>([
    ["call", ({ entries, ids }) => entries.call(ids.entry("second")), { status: "IN_SERVICE" }],
    ["next", ({ entries, ids }) => entries.next(ids.queue("front")), { token: "A3" }],
    [
      "complete",
      ({ entries, ids }) => entries.complete(ids.entry("inside")),
      { token: "A2", status: "COMPLETED" },
    ],
    ["noShow", ({ entries, ids }) => entries.noShow(ids.entry("first")), { status: "NO_SHOW" }],
    ["requeue", ({ entries, ids }) => entries.requeue(ids.entry("inside")), { status: "WAITING" }],
    ["undo", ({ entries, ids }) => entries.undo(ids.entry("served")), { status: "IN_SERVICE" }],
    [
      "transfer",
      async ({ entries, queues, ids }) => {
        await queues.resume(ids.queue("paused"));
        return entries.transfer(ids.entry("first"), ids.queue("paused"));
      },
      { token: "L1" },
    ],
  ])("%s changes what the service has, and gives it", async (_name, act, changed) => {
    expect(await act(mockQueueApi())).toMatchObject(changed);
  });

  it("are refused like those on the dashboard", async () => {
    const { entries, ids } = mockQueueApi();
    const [first, front] = [ids.entry("first"), ids.queue("front")];
    await expect(entries.transfer("nobody", front)).rejects.toThrow(OwnerError);
    await expect(entries.transfer(first, front)).rejects.toThrow("is in this queue already");
    await expect(entries.call(ids.entry("served"))).rejects.toMatchObject({
      message: expect.stringContaining("the entry is COMPLETED"),
      refusal: { code: "invalid_state" },
    });
  });

  it("apply to later requests, even when they are not awaited", async () => {
    const mock = mockQueueApi();
    void mock.entries.call(mock.ids.entry("first"));
    const answer = await caller(mock).get(`/v1/entries/${mock.ids.entry("first")}`);
    expect(await answer.json()).toMatchObject({ data: { status: "IN_SERVICE", position: null } });
  });

  it("happen in the order of their calls, also when they are not awaited", async () => {
    const { entries, queues, ids } = mockQueueApi();
    const [first, front] = [ids.entry("first"), ids.queue("front")];
    const done = [entries.call(first), entries.complete(first), entries.call(first)];
    const flags = [queues.pause(front), queues.close(front), queues.resume(front)];
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

  it("pause and close queues", async () => {
    const mock = mockQueueApi();
    const front = mock.ids.queue("front");
    await mock.queues.pause(front);
    expect(await code(caller(mock).create("front"))).toBe("queue_paused");
    await mock.queues.resume(front);
    await mock.queues.close(front);
    expect(await code(caller(mock).create("front"))).toBe("queue_unavailable");
    await mock.queues.open(front);
    expect((await caller(mock).create("front")).status).toBe(201);
  });

  it("switch access and set the daily limit", async () => {
    const mock = mockQueueApi();
    await mock.businesses.access(false);
    expect(await code(caller(mock).get("/v1/me"))).toBe("api_access_disabled");
    await mock.businesses.access(true);
    await mock.businesses.dailyTokenLimit(4);
    expect(await code(caller(mock).create("front"))).toBe("plan_limit_reached");
    await mock.businesses.dailyTokenLimit(null);
    expect((await caller(mock).create("front")).status).toBe(201);
  });

  it("create and revoke keys", async () => {
    const mock = mockQueueApi();
    const { key } = await mock.keys.create({ scopes: ["appointments:read"] });
    expect((await caller(mock, key).get("/v1/appointments")).status).toBe(200);
    expect(await code(caller(mock, key).get("/v1/queues"))).toBe("insufficient_scope");
    await mock.keys.revoke(key);
    expect(await code(caller(mock, key).get("/v1/appointments"))).toBe("unauthorized");
    await mock.keys.revoke(mock.key("kiosk"));
    expect(await code(caller(mock).get("/v1/me"))).toBe("unauthorized");
  });

  it("set the status of appointments", async () => {
    const mock = mockQueueApi();
    const morning = mock.ids.appointment("morning");
    await mock.appointments.set(morning, "NO_SHOW");
    const answer = await caller(mock, mock.key("office")).get(`/v1/appointments/${morning}`);
    expect(await answer.json()).toMatchObject({ data: { status: "NO_SHOW" } });
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
    const mock = mockQueueApi();
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
    const mock = mockQueueApi();
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
  const mock = mockQueueApi();
  await caller(mock).create("front", "key-0001");
  mock.faults.next("GET /v1/me", "reset-before");
  await expect(caller(mock).get("/v1/me?date=2026-11-21")).rejects.toThrow();
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

async function today(mock: QueueApiMock): Promise<unknown> {
  const answer = await caller(mock).get(`/v1/queues/${mock.ids.queue("front")}`);
  return ((await answer.json()) as { data: QueueSummary }).data.date;
}

async function code(response: Promise<Response>): Promise<unknown> {
  return ((await (await response).json()) as ErrorResponse).error.code;
}
