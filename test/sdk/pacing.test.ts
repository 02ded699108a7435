import { mockQueueApi } from "@queue-api/testkit";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { RateLimitError } from "../../sdk/src/errors.js";
import { anEntry, anError, customer1, entryId, giving, usedUp } from "./support/examples.js";
import { holdTime, turnOfTheLoop } from "./support/virtual-clock.js";
import { World } from "./support/world.js";

const patient = { totalTimeoutMs: Number.POSITIVE_INFINITY };
const usual = { requestsPerMinute: 120, writesPerMinute: 30 };

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** A key of the service in the test kit, which has the time of its clients. */
async function keyWith(limits = usual) {
  holdTime();
  const mock = mockQueueApi({ clock: "system" });
  const { key: apiKey } = await mock.keys.create(limits);
  const options = { baseUrl: mock.baseUrl, apiKey, fetch: mock.fetch };
  const client = (more: object = patient) => new World({ ...options, ...more });
  const front = mock.ids.queue("front");
  const create = ({ api }: World, count: number) =>
    Array.from({ length: count }, (_, number) => {
      const headers = { "x-name": String(number) };
      return api.entries.create(front, customer1, { headers });
    });
  const read = ({ api }: World, count: number) =>
    Array.from({ length: count }, () => api.queues.get(front));
  /** Another program uses up the writes; the test begins 10 seconds later. */
  const useUpWrites = async () => {
    const other = client();
    await other.run(Promise.all(create(other, limits.writesPerMinute)));
    vi.advanceTimersByTime(10_000);
  };
  const refused = () => mock.requests.filter(({ status }) => status === 429).length;
  return { mock, client, front, create, read, useUpWrites, refused };
}

describe("against the real service with its default limits", () => {
  test.each([
    { calls: 130, writes: 5, seconds: 60 }, // 2 windows of 120; the last starts after a minute
    { calls: 70, writes: 1, seconds: 120 }, // 3 windows of 30
  ])(
    "$calls calls, one of $writes a creation, get no 429 at 95 % of the possible rate",
    async (all) => {
      const { mock, client, create, read, refused } = await keyWith();
      const world = client();
      const calls = Array.from({ length: all.calls }, (_, index) =>
        index % all.writes === 0 ? create(world, 1) : read(world, 1),
      );
      await world.run(Promise.all<unknown>(calls.flat()));
      expect(refused()).toBe(0);
      expect(mock.requests).toHaveLength(all.calls);
      expect(performance.now() / 1000).toBeLessThanOrEqual(all.seconds / 0.95);
    },
  );

  test.each([
    ["", []],
    [", also if the responses do not name the windows", ["RateLimit-Policy"]],
  ])("a full window of writes does not delay reads%s", async (_, dropped) => {
    const { mock, client, create, read, refused } = await keyWith();
    const fetch = async (url: string, init: RequestInit) => {
      const response = await mock.fetch(url, init);
      for (const name of dropped) response.headers.delete(name);
      return response;
    };
    const world = client({ ...patient, fetch });
    const creations = create(world, 31);
    await world.run(Promise.all(creations.slice(0, 30)));
    await world.run(Promise.all(read(world, 80)));
    expect(performance.now()).toBe(0);
    await world.run(Promise.all(creations));
    expect(performance.now()).toBeGreaterThan(58_000);
    expect(refused()).toBe(0);
  });

  test("a call that has no time for the next window fails at once, and says which limit is used up", async () => {
    const { client, front, create } = await keyWith();
    const world = client({});
    await world.run(Promise.all(create(world, 30)));
    const impatient = () => world.api.entries.create(front, customer1, { totalTimeoutMs: 2000 });
    const failure = await world.failure(impatient());
    expect(performance.now()).toBe(0);
    expect(failure).toBeInstanceOf(RateLimitError);
    const { retryAfterMs, message } = failure as RateLimitError;
    expect(failure).toMatchObject({ attempts: 0, code: "rate_limited", isRetryable: true });
    expect(message).toBe(
      `entries.create: the limit of 30 writes per minute is used up. The next window begins in ${retryAfterMs} ms, too late for totalTimeoutMs (2000).`,
    );
    const justTooShort = { totalTimeoutMs: (retryAfterMs ?? 0) + 30 };
    const late = await world.failure(world.api.entries.create(front, customer1, justTooShort));
    expect([performance.now(), late]).toEqual([0, expect.any(RateLimitError)]);
    vi.advanceTimersByTime(retryAfterMs ?? 0);
    await world.run(impatient());
  });
});

describe("turns", () => {
  test.each([
    ["are not needed when the service reports no limit", {}, {}],
    ["can be switched off", usedUp(1, 60), { pacing: false }],
  ])("%s", async (_, headers, options) => {
    const fetch = giving({ data: anEntry() }, { headers });
    const world = new World({ fetch, ...options });
    await world.run(world.api.entries.get(entryId));
    fetch.mockReturnValue(new Promise(() => {}));
    for (let call = 0; call < 100; call++) world.api.entries.get(entryId).catch(() => {});
    await turnOfTheLoop();
    expect(fetch).toHaveBeenCalledTimes(101);
  });

  /** The reports of responses, in the order of their requests: when they come, and of which window they tell. */
  test.each<
    [string, { startsAt: number; answeredAfter: number; left: number; reset: number }[], number[]]
  >([
    [
      "do not learn from a late response, about the window before",
      [
        { startsAt: 0, answeredAfter: 2000, left: 0, reset: 1 },
        { startsAt: 1500, answeredAfter: 0, left: 2, reset: 60 },
        { startsAt: 3500, answeredAfter: 0, left: 1, reset: 58 },
        { startsAt: 3500, answeredAfter: 0, left: 2, reset: 60 },
      ],
      [0, 1500, 3500, 61_500],
    ],
    [
      "learn from a response that a window has begun earlier than it must",
      [
        { startsAt: 0, answeredAfter: 0, left: 2, reset: 10 },
        { startsAt: 9500, answeredAfter: 0, left: 2, reset: 60 },
        { startsAt: 9500, answeredAfter: 0, left: 1, reset: 60 },
        { startsAt: 9500, answeredAfter: 0, left: 0, reset: 60 },
      ],
      [0, 9500, 9500, 9500],
    ],
    [
      "know as much of a window after a slow response as before it",
      [
        { startsAt: 0, answeredAfter: 0, left: 2, reset: 60 },
        { startsAt: 100, answeredAfter: 31_900, left: 0, reset: 29 },
        { startsAt: 31_000, answeredAfter: 0, left: 0, reset: 29 },
        { startsAt: 40_000, answeredAfter: 0, left: 2, reset: 60 },
        { startsAt: 40_000, answeredAfter: 0, left: 1, reset: 60 },
      ],
      [0, 100, 31_000, 60_000, 60_000],
    ],
  ])("%s", async (_, calls, expected) => {
    const sentAt: number[] = [];
    const fetch = async () => {
      const { answeredAfter = 0, left = 0, reset = 60 } = calls[sentAt.length] ?? {};
      sentAt.push(performance.now());
      await pause(answeredAfter);
      const headers = { ...usedUp(3, reset), "RateLimit-Remaining": String(left) };
      return Response.json({ data: anEntry() }, { headers });
    };
    const world: World = new World({ fetch, timeoutMs: 60_000 });
    const each = calls.map(async ({ startsAt }) => {
      await pause(startsAt);
      await world.api.entries.get(entryId);
    });
    await world.run(Promise.all(each), () => false);
    expect(sentAt).toEqual(expected);
  });

  test("of refused calls come when the service says, and count what others have sent", async () => {
    const first = { ...usedUp(3, 60), "RateLimit-Remaining": "2" };
    const refusal = { status: 429, headers: { ...usedUp(3, 1), "Retry-After": "1" } };
    const fetch = giving({ data: anEntry() }, { headers: first });
    fetch.mockResolvedValueOnce(Response.json({ data: anEntry() }, { headers: first }));
    fetch.mockResolvedValueOnce(Response.json(anError("rate_limited"), refusal));
    fetch.mockResolvedValueOnce(Response.json({ data: anEntry() }, { headers: usedUp(3, 59) }));
    const world = new World({ fetch });
    await world.run(world.api.entries.get(entryId));
    await world.run(world.api.entries.get(entryId));
    expect(performance.now()).toBe(1_000); // and not until the end of the window
    await world.run(world.api.entries.get(entryId));
    expect(performance.now()).toBe(60_000); // which has no more room
  });

  test("are not used up by requests that were not sent", async () => {
    const headers = { ...usedUp(3, 60), "RateLimit-Remaining": "2" };
    const fetch = giving({ data: anEntry() }, { headers });
    const world = new World({ fetch, maxRetries: 0 });
    await world.run(world.api.entries.get(entryId));
    const cause = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    for (let call = 0; call < 5; call++) {
      fetch.mockRejectedValueOnce(new TypeError("fetch failed", { cause }));
      await world.failure(world.api.entries.get(entryId));
    }
    await world.run(world.api.entries.get(entryId));
    expect(performance.now()).toBe(0);
  });

  test("set no timer beyond the longest one, which would fire at once and again", async () => {
    const respond: ((headers: Record<string, string>) => void)[] = [];
    const fetch = () =>
      new Promise<Response>((resolve) => {
        respond.push((headers) => resolve(Response.json({ data: anEntry() }, { headers })));
      });
    const { api } = new World({ fetch, ...patient });
    const get = async () => {
      api.entries.get(entryId).catch(() => {});
      await turnOfTheLoop();
    };
    await get();
    await get();
    respond[0]?.(usedUp(200_000, 50));
    await turnOfTheLoop();
    await get(); // waits for the next window
    respond[1]?.(usedUp(1, 50)); // so each window has room for one call
    await turnOfTheLoop();
    vi.advanceTimersToNextTimer();
    expect(performance.now()).toBeGreaterThan(1_000);
  });

  test("keep a limit that one response does not report", async () => {
    const reports = [{ ...usedUp(3, 60), "RateLimit-Remaining": "2" }, {}];
    let sent = 0;
    const fetch = async () => {
      sent++;
      await new Promise((resolve) => setImmediate(resolve));
      return Response.json({ data: anEntry() }, { headers: reports.shift() ?? usedUp(3, 60) });
    };
    const world = new World({ fetch, ...patient });
    await world.run(world.api.entries.get(entryId));
    await world.run(world.api.entries.get(entryId));
    const calls = Array.from({ length: 20 }, () => world.api.entries.get(entryId));
    await world.run(calls[0] as Promise<unknown>);
    expect(sent).toBe(3);
    await world.run(Promise.all(calls));
  });

  test.each([
    ["a limit of 0", 200, usedUp(0, 1)],
    ["a reset that is further away than any of the service", 200, usedUp(1, 1_795_219_200)],
    ["a response to an invalid key", 401, usedUp(30, 50)],
    ["a response to a barred address", 429, usedUp(30, 50)],
  ])("do not learn from %s", async (_, status, headers) => {
    const document = status === 429 ? anError("too_many_failed_attempts") : { data: anEntry() };
    const fetch = giving(document, { headers, status });
    const world = new World({ fetch });
    const get = () => world.run(world.api.entries.get(entryId).catch(() => null));
    for (let call = 0; call < 5; call++) await get();
    expect(fetch).toHaveBeenCalledTimes(5);
    expect(performance.now()).toBe(0);
  });

  test("of calls behind a refused one wait for it, and are told so", async () => {
    const refusal = { status: 429, headers: { "Retry-After": "30" } };
    const fetch = giving({ data: anEntry() });
    fetch.mockResolvedValueOnce(Response.json(anError("rate_limited"), refusal));
    const lines: string[] = [];
    const logger = { debug() {}, warn: (line: string) => void lines.push(line) };
    const world = new World({ fetch, logger });
    const refused = world.api.entries.get(entryId);
    await world.until(() => world.retries.length > 0);
    vi.advanceTimersToNextTimer(); // it is in the line again
    await turnOfTheLoop();
    const impatient = world.api.entries.get(entryId, { totalTimeoutMs: 3000 });
    const failure = await world.failure(impatient);
    expect(failure).toMatchObject({ name: "RateLimitError", retryAfterMs: 30_000, attempts: 0 });
    const behind = world.api.entries.get(entryId);
    await world.run(Promise.all([refused, behind]));
    expect(performance.now()).toBe(30_000);
    expect(world.waits).toMatchObject([
      { reason: "rate_limited", waitMs: 30_000 },
      { reason: "pacing", waitMs: 30_000 },
    ]);
    expect(lines.at(-1)).toContain("entries.get: the rate limit is used up. Attempt 1 follows");
  });

  test("that do not suffice for all calls in time go to the first in order, refused or not", async () => {
    const { mock, client, create, useUpWrites } = await keyWith({ ...usual, writesPerMinute: 5 });
    await useUpWrites();
    const world = client({});
    await world.run(Promise.allSettled(create(world, 9)));
    const admitted = mock.requests.filter(({ status }) => status === 201).slice(5);
    expect(admitted.map(({ headers }) => headers["x-name"])).toEqual(["0", "1", "2", "3", "4"]);
  });

  test("of a write come when its own window has room, although a read before it waits longer", async () => {
    const { mock, client, create, read, useUpWrites } = await keyWith();
    await useUpWrites();
    const start = performance.now();
    const headers = { "Retry-After": "70" };
    const refusals = [Response.json(anError("rate_limited"), { status: 429, headers })];
    const fetch = async (url: string, init: RequestInit) =>
      (init.method === "GET" && refusals.pop()) || mock.fetch(url, init);
    const world = client({ ...patient, fetch });
    const reads = read(world, 1);
    await world.run(Promise.all(create(world, 1)));
    expect(performance.now() - start).toBe(50_000);
    await world.run(Promise.all(reads));
    expect(performance.now() - start).toBe(70_000);
  });

  const calls = fc.array(
    fc.record({
      write: fc.boolean(),
      startsAt: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 90_000 })),
      arrivesAfter: fc.integer({ min: 0, max: 500 }),
      answeredAfter: fc.integer({ min: 0, max: 2000 }),
    }),
    { minLength: 30, maxLength: 90 },
  );
  const limits = fc
    .tuple(fc.integer({ min: 4, max: 10 }), fc.integer({ min: 4, max: 20 }))
    .map(([writes, more]) => ({ writesPerMinute: writes, requestsPerMinute: writes + more }));

  test("are never refused once a response named both limits, for any calls and any order of responses", async () => {
    await fc.assert(
      fc.asyncProperty(limits, calls, async (both, all) => {
        const { mock, client, front } = await keyWith(both);
        let serving = 0;
        const fetch = async (url: string, init: RequestInit) => {
          const mustFit = world.responses.length > 0;
          const call = all[Number(new Headers(init.headers).get("x-name"))];
          await pause(call?.arrivesAfter ?? 0);
          serving += 1;
          const response = await mock.fetch(url, init);
          serving -= 1;
          expect(response.ok || !mustFit).toBe(true);
          await pause(call?.answeredAfter ?? 0);
          return response;
        };
        const world: World = client({ ...patient, fetch, timeoutMs: 60_000 });
        const each = all.map(async ({ write, startsAt }, name) => {
          await pause(startsAt);
          const options = { headers: { "x-name": String(name) } };
          if (write) await world.api.entries.create(front, customer1, options);
          else await world.api.queues.get(front, {}, options);
        });
        await world.run(Promise.all(each), () => serving > 0);
      }),
      { numRuns: 20 },
    );
  });

  test("are free at once after the process was frozen for longer than the window", async () => {
    const world = new World({ fetch: giving({ data: anEntry() }, { headers: usedUp(1, 60) }) });
    await world.run(world.api.entries.get(entryId));
    vi.setSystemTime(Date.now() + 3_600_000);
    await world.run(world.api.entries.get(entryId));
    expect([performance.now(), world.waits]).toEqual([0, []]);
  });
});
