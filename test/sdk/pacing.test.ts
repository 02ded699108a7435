import { describe, expect, test } from "vitest";
import { RateLimitError } from "../../sdk/src/errors.js";
import { testService } from "../support/service.js";
import { anEntry, anError, customer1, entryId, queueId } from "./support/examples.js";
import { VirtualClock } from "./support/virtual-clock.js";
import { World } from "./support/world.js";

// The memory store is faster for hundreds of creations, and this test needs no durability.
const service = await testService({ usualStore: "memory" });
const patient = { totalTimeoutMs: Number.POSITIVE_INFINITY };

/** A client of the real service with the default limits, and the same time for both. */
async function visitor(keys?: Parameters<typeof service.clinic>[0], more: object = patient) {
  const clinic = await service.clinic(keys);
  const onTime = (now: number) => service.clock.set(Math.floor(now));
  const clock = new VirtualClock({ start: service.now(), onTime });
  const options = { baseUrl: service.url, apiKey: clinic.key(), ...more };
  const client = () => new World(options, { clock });
  const world = client();
  const refused = () => world.responses.filter(({ status }) => status === 429).length;
  const queueId = clinic.queue();
  const create = (count: number) =>
    Array.from({ length: count }, () => world.api.entries.create(queueId, customer1));
  return { world, clock, client, queueId, refused, create };
}

/** The headers of a response after which the window has no place left. */
const usedUp = (limit: number, seconds: number) => ({
  "RateLimit-Limit": String(limit),
  "RateLimit-Remaining": "0",
  "RateLimit-Reset": String(seconds),
});

describe("against the real service with its default limits", () => {
  test.each([
    { calls: 600, writes: 5, seconds: 240 }, // 5 windows of 120; the last starts after 4 minutes
    { calls: 300, writes: 1, seconds: 540 }, // 10 windows of 30
  ])(
    "$calls calls, one of $writes a creation, get no 429 at 95 % of the possible rate",
    async (all) => {
      const { world, clock, queueId, refused } = await visitor();
      const start = clock.now();
      const calls = Array.from({ length: all.calls }, (_, index) =>
        index % all.writes === 0
          ? world.api.entries.create(queueId, customer1)
          : world.api.queues.get(queueId),
      );
      await world.run(Promise.all<unknown>(calls));
      expect(refused()).toBe(0);
      expect(world.responses).toHaveLength(all.calls);
      expect((clock.now() - start) / 1000).toBeLessThanOrEqual(all.seconds / 0.95);
    },
  );

  test.each([
    { requestsPerMinute: 40, writesPerMinute: 40 },
    { requestsPerMinute: 3, writesPerMinute: 2 },
    { requestsPerMinute: 30, writesPerMinute: 1000 },
  ])(
    "other limits of a key are learned: $requestsPerMinute and $writesPerMinute",
    async (limits) => {
      const keys = [
        { ref: "main", name: "Main", scopes: ["queue:read", "queue:write"], ...limits },
      ];
      const { world, clock, create } = await visitor({ keys } as never);
      const allowed = Math.min(limits.requestsPerMinute, limits.writesPerMinute);
      const start = clock.now();
      await world.run(Promise.all(create(allowed * 4)));
      expect((clock.now() - start) / 1000).toBeLessThanOrEqual(180 / 0.95);
      expect(world.responses.filter(({ status }) => status === 429).length).toBeLessThanOrEqual(3);
    },
  );

  test("the first response names both limits, so a key with a low limit of writes gets no 429", async () => {
    const few = { requestsPerMinute: 10, writesPerMinute: 2 };
    const keys = [{ ref: "main", name: "Main", scopes: ["queue:read", "queue:write"], ...few }];
    const { world, clock, queueId, refused, create } = await visitor({ keys } as never);
    const start = clock.now();
    await world.run(world.api.queues.get(queueId));
    await world.run(Promise.all(create(5)));
    expect(refused()).toBe(0);
    expect((clock.now() - start) / 1000).toBeLessThanOrEqual(120 / 0.95); // 3 windows of 2
  });

  test("a full window of writes does not delay reads", async () => {
    const { world, clock, queueId, refused, create } = await visitor();
    const creations = create(31);
    await world.run(Promise.all(creations.slice(0, 30)));
    const start = clock.now();
    const reads = Array.from({ length: 80 }, () => world.api.queues.get(queueId));
    await world.run(Promise.all(reads));
    expect(clock.now()).toBe(start);
    await world.run(Promise.all(creations));
    expect(clock.now() - start).toBeGreaterThan(58_000);
    expect(refused()).toBe(0);
  });

  test("a call that has no time for the next window fails at once, and says which limit is used up", async () => {
    const { world, clock, queueId } = await visitor({}, {});
    const create = (options?: object) => world.api.entries.create(queueId, customer1, options);
    await world.run(Promise.all(Array.from({ length: 30 }, () => create())));
    const before = clock.now();
    const failure = await world.failure(create({ totalTimeoutMs: 2000 }));
    expect(clock.now()).toBe(before);
    expect(failure).toBeInstanceOf(RateLimitError);
    const { retryAfterMs, message } = failure as RateLimitError;
    expect(failure).toMatchObject({ attempts: 0, code: "rate_limited", isRetryable: true });
    expect(message).toBe(
      `entries.create: the limit of 30 writes per minute is used up. The next window begins in ${retryAfterMs} ms, after totalTimeoutMs (2000).`,
    );
    clock.skip(retryAfterMs ?? 0);
    await world.run(create({ totalTimeoutMs: 2000 }));
  });

  test("a line that is longer than the time of a call is cut at once", async () => {
    const { world, clock, create } = await visitor({}, { totalTimeoutMs: 75_000 });
    const before = clock.now();
    const calls = create(100);
    const failedAt: number[] = [];
    const results = await world.run(
      Promise.all(calls.map((call) => call.catch(() => void failedAt.push(clock.now() - before)))),
    );
    expect(results.filter((entry) => entry !== undefined)).toHaveLength(60);
    expect(failedAt).toEqual(Array(40).fill(0));
  });

  test("the hooks and the log tell of a wait for a window", async () => {
    const lines: unknown[] = [];
    const logger = { debug() {}, warn: (...line: unknown[]) => void lines.push(line) };
    const { world, create } = await visitor({}, { logger });
    await world.run(Promise.all(create(31)));
    expect(world.waits).toMatchObject([
      { reason: "pacing", operation: "entries.create", attempt: 1, error: null },
    ]);
    const waitMs = Math.round(world.waits[0]?.waitMs ?? 0);
    expect(waitMs).toBeGreaterThan(58_000);
    expect(lines).toEqual([
      [
        `queue-api: entries.create: the limit of 30 writes per minute is used up. Attempt 1 follows in ${waitMs} ms.`,
        expect.objectContaining({ operation: "entries.create", reason: "pacing", waitMs }),
      ],
    ]);
  });

  test("two clients of one key share its window", async () => {
    const { world, client, queueId } = await visitor();
    const other = client();
    const calls = [world, other].flatMap(({ api }) =>
      Array.from({ length: 120 }, () => api.queues.get(queueId)),
    );
    await world.clock.until(Promise.all(calls), () => world.isBusy || other.isBusy);
    expect(world.responses.at(-1)?.status).toBe(200);
    expect(other.responses.at(-1)?.status).toBe(200);
  });
});

describe("turns", () => {
  test("are not needed when the service reports no limit", async () => {
    const fetch = async () => Response.json({ data: anEntry() });
    const world = new World({ baseUrl: "http://queue.example", fetch });
    await world.run(world.api.entries.get(entryId));
    const calls = Array.from({ length: 500 }, () => world.api.entries.get(entryId));
    await world.run(Promise.all(calls));
    expect(world.clock.now()).toBe(0);
  });

  test("can be switched off", async () => {
    const fetch = async () => Response.json({ data: anEntry() }, { headers: usedUp(1, 60) });
    const world = new World({ baseUrl: "http://queue.example", fetch, pacing: false });
    for (let call = 0; call < 5; call++) await world.run(world.api.entries.get(entryId));
    expect(world.clock.now()).toBe(0);
  });

  test("do not learn from a late response, about the window before", async () => {
    const reports: Record<string, string>[] = [
      { ...usedUp(3, 60), "RateLimit-Remaining": "2" },
      { ...usedUp(3, 1), "Retry-After": "1" },
      usedUp(3, 59),
      { ...usedUp(3, 60), "RateLimit-Remaining": "2" },
    ];
    const fetch = async () => {
      const headers = reports.shift() ?? {};
      if (!("Retry-After" in headers)) return Response.json({ data: anEntry() }, { headers });
      return Response.json(anError("rate_limited"), { status: 429, headers });
    };
    const world = new World({ baseUrl: "http://queue.example", fetch });
    await world.run(world.api.entries.get(entryId));
    await world.run(world.api.entries.get(entryId));
    expect(world.clock.now()).toBe(1_000); // and not until the end of the window
    await world.run(world.api.entries.get(entryId));
    expect(world.clock.now()).toBe(60_000); // which has no more room
  });

  test("do not learn from responses to an invalid key", async () => {
    const fetch = async () =>
      Response.json(anError("unauthorized"), { status: 401, headers: usedUp(30, 600) });
    const world = new World({ baseUrl: "http://queue.example", fetch });
    for (let call = 0; call < 5; call++) await world.failure(world.api.queues.get(queueId));
    expect(world.clock.now()).toBe(0);
  });

  /** A service with a window of some creations a minute, of which another program has used all. */
  function usedByOthers(limit: number, more: object) {
    const clock = new VirtualClock();
    const order: string[] = [];
    const window = { start: -10_000, used: limit };
    const fetch = async (_: unknown, init: { readonly headers: Record<string, string> }) => {
      if (clock.now() - window.start >= 60_000)
        Object.assign(window, { start: clock.now(), used: 0 });
      const seconds = Math.ceil((window.start + 60_000 - clock.now()) / 1000);
      const isRefused = window.used === limit;
      if (!isRefused) {
        window.used += 1;
        order.push(init.headers["x-name"] ?? "");
      }
      const headers = {
        ...usedUp(limit, seconds),
        "RateLimit-Remaining": String(limit - window.used),
        "RateLimit-Policy": `"writes";q=${limit};w=60, "requests";q=120;w=60`,
        ...(isRefused && { "Retry-After": String(seconds) }),
      };
      if (isRefused) return Response.json(anError("rate_limited"), { status: 429, headers });
      return Response.json({ data: anEntry() }, { status: 201, headers });
    };
    const world = new World({ baseUrl: "http://queue.example", fetch, ...more }, { clock });
    const create = (name: number) =>
      world.api.entries.create(queueId, customer1, { headers: { "x-name": String(name) } });
    return { world, order, create };
  }

  const names = (count: number) => Array.from({ length: count }, (_, index) => index);

  test("of refused calls keep their places", async () => {
    const { world, order, create } = usedByOthers(30, patient);
    await world.run(Promise.all(names(40).map(create)));
    expect(order).toEqual(names(40).map(String));
  });

  test("that do not suffice for all calls in time go to the first, refused or not", async () => {
    const { world, create } = usedByOthers(5, {});
    const results = await world.run(Promise.allSettled(names(9).map(create)));
    const succeeded = results.map(({ status }) => status === "fulfilled");
    expect(succeeded).toEqual(names(9).map((name) => name < 5));
  });

  test("are free at once after the process was frozen for longer than the window", async () => {
    const fetch = async () => Response.json({ data: anEntry() }, { headers: usedUp(1, 60) });
    const world = new World({ baseUrl: "http://queue.example", fetch });
    await world.run(world.api.entries.get(entryId));
    world.clock.freeze(3_600_000);
    await world.run(world.api.entries.get(entryId));
    expect([world.clock.now(), world.waits]).toEqual([0, []]);
  });
});
