import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RateLimitError } from "../../sdk/src/errors.js";
import {
  charged,
  currentWindow,
  isBelowLimit,
  report,
  tightest,
  type Window,
} from "../../server/src/rules/window.js";
import { testService } from "../support/service.js";
import { anEntry, anError, customer1, entryId, queueId } from "./support/examples.js";
import { VirtualClock } from "./support/virtual-clock.js";
import { World } from "./support/world.js";

const service = await testService({ usualStore: "memory" });
const patient = { totalTimeoutMs: Number.POSITIVE_INFINITY };

/** A client of the real service with the default limits, and the same time for both. */
async function visitor(more: object = patient) {
  const clinic = await service.clinic();
  const onTime = (now: number) => service.clock.set(Math.floor(now));
  const clock = new VirtualClock({ start: service.now(), onTime });
  const options = { baseUrl: service.url, apiKey: clinic.key(), ...more };
  const world = new World(options, { clock });
  const refused = () => world.responses.filter(({ status }) => status === 429).length;
  const queueId = clinic.queue();
  const create = (count: number) =>
    Array.from({ length: count }, () => world.api.entries.create(queueId, customer1));
  return { world, clock, queueId, refused, create };
}

interface Limits {
  readonly requests: number;
  readonly writes: number;
}

/** The two windows of a key, counted with the rules of the service. */
class KeyOnServer {
  readonly clock = new VirtualClock();
  /** The `X-Name` of the requests that were admitted. */
  readonly admitted: (string | undefined)[] = [];
  readonly #windows: { name: keyof Limits; limit: number; seconds: 60; window: Window | null }[];

  /** `used`: by another program, 10 seconds ago. */
  constructor(limits: Limits, used: Partial<Limits> = {}) {
    this.#windows = (["requests", "writes"] as const).map((name) => {
      const window = { startedAt: -10_000, count: used[name] ?? 0 };
      return { name, limit: limits[name], seconds: 60, window: name in used ? window : null };
    });
  }

  /** The response to a request that arrives now. */
  answer(method: string, name?: string): Response {
    const now = this.clock.now();
    const counted = this.#windows.slice(0, method === "GET" ? 1 : 2);
    const windows = counted.map(({ window }) => currentWindow(window, 60, now));
    const isAdmitted = counted.every((limit, at) => isBelowLimit(windows[at] as Window, limit));
    const reports = counted.map((one, at) => {
      one.window = isAdmitted ? charged(windows[at] as Window) : (windows[at] as Window);
      const others = this.#windows.filter((other) => other !== one);
      return report(one.window, one, now, others);
    });
    const { limit, remaining, resetSeconds, policy } = reports.reduce(tightest);
    const headers = {
      "RateLimit-Limit": String(limit),
      "RateLimit-Remaining": String(remaining),
      "RateLimit-Reset": String(resetSeconds),
      "RateLimit-Policy": policy.map(({ name, limit }) => `"${name}";q=${limit};w=60`).join(", "),
    };
    if (isAdmitted) this.admitted.push(name);
    if (isAdmitted) return Response.json({ data: anEntry() }, { headers });
    const retry = { ...headers, "Retry-After": String(resetSeconds) };
    return Response.json(anError("rate_limited"), { status: 429, headers: retry });
  }

  /** A client of this key. */
  client(options: object = patient): World {
    const fetch = async (_url: string, init: Sent) =>
      this.answer(init.method, init.headers["x-name"]);
    return new World({ baseUrl: "http://queue.example", fetch, ...options }, this);
  }
}

interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The headers of a response after which the window has no place left. */
const usedUp = (limit: number, seconds: number) => ({
  "RateLimit-Limit": String(limit),
  "RateLimit-Remaining": "0",
  "RateLimit-Reset": String(seconds),
});

describe("against the real service with its default limits", () => {
  test.each([
    { calls: 130, writes: 5, seconds: 60 }, // 2 windows of 120; the last starts after a minute
    { calls: 70, writes: 1, seconds: 120 }, // 3 windows of 30
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
    const { world, clock, queueId } = await visitor({});
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

  test("the hooks and the log tell of a wait for a window", async () => {
    const lines: unknown[] = [];
    const logger = { debug() {}, warn: (...line: unknown[]) => void lines.push(line) };
    const { world, create } = await visitor({ logger });
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
    const key = new KeyOnServer({ requests: 20, writes: 10 });
    const clients = [key.client(), key.client()];
    const calls = clients.flatMap(({ api }) =>
      Array.from({ length: 20 }, () => api.entries.get(entryId)),
    );
    await key.clock.until(Promise.all(calls));
    for (const { responses } of clients) expect(responses.at(-1)?.status).toBe(200);
  });
});

describe("turns", () => {
  test.each([
    ["are not needed when the service reports no limit", {}, {}],
    ["can be switched off", usedUp(1, 60), { pacing: false }],
  ])("%s", async (_, headers, options) => {
    const fetch = async () => Response.json({ data: anEntry() }, { headers });
    const world = new World({ baseUrl: "http://queue.example", fetch, ...options });
    await world.run(world.api.entries.get(entryId));
    const calls = Array.from({ length: 100 }, () => world.api.entries.get(entryId));
    await world.run(Promise.all(calls));
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

  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
  const create =
    ({ api }: World) =>
    (number: number) =>
      api.entries.create(queueId, customer1, { headers: { "x-name": String(number) } });

  test("of refused calls keep their places", async () => {
    const key = new KeyOnServer({ requests: 120, writes: 30 }, { writes: 30 });
    const world = key.client();
    await world.run(Promise.all(numbers(40).map(create(world))));
    expect(key.admitted).toEqual(numbers(40).map(String));
  });

  test("that do not suffice for all calls in time go to the first, refused or not", async () => {
    const world = new KeyOnServer({ requests: 120, writes: 5 }, { writes: 5 }).client({});
    const results = await world.run(Promise.allSettled(numbers(9).map(create(world))));
    const succeeded = results.map(({ status }) => status === "fulfilled");
    expect(succeeded).toEqual(numbers(9).map((number) => number < 5));
  });

  test("of a write come when its own window has room, although a read before it waits longer", async () => {
    const key = new KeyOnServer({ requests: 20, writes: 5 }, { writes: 5 });
    const headers = { "Retry-After": "70" };
    const refusals = [Response.json(anError("rate_limited"), { status: 429, headers })];
    const fetch = async (_url: string, { method }: Sent) =>
      (method === "GET" && refusals.pop()) || key.answer(method);
    const world = key.client({ ...patient, fetch });
    const read = world.api.entries.get(entryId);
    await world.run(create(world)(1));
    expect(key.clock.now()).toBe(50_000);
    await world.run(read);
    expect(key.clock.now()).toBe(70_000);
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
    .map(([writes, more]) => ({ writes, requests: writes + more }));

  test("are never refused once a response named both limits, for any calls and any order of responses", async () => {
    await fc.assert(
      fc.asyncProperty(limits, calls, async (both, all) => {
        const key = new KeyOnServer(both);
        const { clock } = key;
        const pause = (ms: number) => new Promise<void>((resolve) => clock.setTimer(resolve, ms));
        const fetch = async (_url: string, { method, headers }: Sent) => {
          const mustFit = world.responses.length > 0;
          const call = all[Number(headers["x-name"])];
          await pause(call?.arrivesAfter ?? 0);
          const response = key.answer(method);
          expect(response.ok || !mustFit).toBe(true);
          await pause(call?.answeredAfter ?? 0);
          return response;
        };
        const world: World = key.client({ ...patient, fetch, timeoutMs: 60_000 });
        const each = all.map(async ({ write, startsAt }, name) => {
          await pause(startsAt);
          const options = { headers: { "x-name": String(name) } };
          if (write) await world.api.entries.create(queueId, customer1, options);
          else await world.api.entries.get(entryId, options);
        });
        await clock.until(Promise.all(each));
      }),
      { numRuns: 20 },
    );
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
