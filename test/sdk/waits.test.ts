import { describe, expect, test, vi } from "vitest";
import { anEntry, anError, customer1, entryId, queueId } from "./support/examples.js";
import { World } from "./support/world.js";

/** A client of a service with fixed responses in order. The last one repeats. */
function worldOf(answers: readonly (() => Response)[], options = {}) {
  const askedAt: number[] = [];
  const fetch = async () => {
    const answer = answers[Math.min(askedAt.length, answers.length - 1)];
    askedAt.push(performance.now());
    return answer ? answer() : Response.error();
  };
  const world = new World({ fetch, ...options });
  const waits = () => askedAt.slice(1).map((at, index) => at - (askedAt[index] ?? 0));
  return { world, waits, get: () => world.api.entries.get(entryId) };
}

const found = () => Response.json({ data: anEntry() });
const failing =
  (status: number, code: string, headers: Record<string, string> = {}) =>
  () =>
    Response.json(anError(code), { status, headers });

test("the wait between the attempts of a call is random, up to 300 ms that double to 8,000 ms", async () => {
  const options = { maxRetries: 7, totalTimeoutMs: Number.POSITIVE_INFINITY };
  const { world, get, waits } = worldOf([failing(500, "internal_error")], options);
  await world.failure(get());
  const inTheMiddle = [150, 300, 600, 1200, 2400, 4000, 4000];
  expect(waits()).toEqual(inTheMiddle);
  expect(world.retries.map(({ waitMs }) => waitMs)).toEqual(inTheMiddle);
});

describe("Retry-After", () => {
  test.each([
    ["30", 30_000],
    [" 2 ", 2000],
    ["0", 0],
    ["1.5", 1500],
    ["Sat, 21 Nov 2026 12:00:10 GMT", 10_000],
    ["Saturday, 21-Nov-26 12:00:10 GMT", 10_000],
    ["Sat, 21 Nov 2026 11:59:00 GMT", 0],
    ["", null],
    ["-5", null],
    ["soon", null],
    ["2026", 2_026_000],
  ])("%j asks for %j ms, by the clock of the response", async (value, retryAfterMs) => {
    const headers = { Date: "Sat, 21 Nov 2026 12:00:00 GMT", "Retry-After": value };
    const { world, get } = worldOf([failing(503, "internal_error", headers)], { maxRetries: 0 });
    expect(await world.failure(get())).toMatchObject({ retryAfterMs });
  });

  test.each([
    ["0", 503, "internal_error", 150], // the backoff
    ["2", 429, "rate_limited", 2000],
    ["45", 429, "rate_limited", 45_000],
  ])("of %s seconds is a minimum, with %i %s", async (seconds, status, code, waited) => {
    const failed = failing(status, code, { "Retry-After": seconds });
    const { world, get, waits } = worldOf([failed, found], { pacing: false });
    await world.run(get());
    expect(waits()).toEqual([waited]);
  });

  const running = failing(409, "request_in_progress", { "Retry-After": "1" });
  const replay = () =>
    Response.json({ data: anEntry() }, { headers: { "Idempotent-Replay": "true" } });

  test("of a creation in progress is waited for, and the second creation gets the token of the first", async () => {
    const { world } = worldOf([running, replay]);
    const call = world.api.entries.create(queueId, customer1).withResponse();
    expect(await world.run(call)).toMatchObject({ data: anEntry(), replayed: true });
    expect(performance.now()).toBe(1000);
  });

  test("after a lost answer, the token is this call's own, and not one of an earlier call", async () => {
    const lost = () => {
      throw new TypeError("fetch failed");
    };
    const { world } = worldOf([lost, running, replay]);
    const own = await world.run(world.api.entries.create(queueId, customer1).withResponse());
    expect(own).toMatchObject({ replayed: false, attempts: 3 });
    const again = await world.run(world.api.entries.create(queueId, customer1).withResponse());
    expect(again).toMatchObject({ replayed: true, attempts: 1 });
  });

  test.each([
    ["the timeout of the call", 76, {}],
    ["the longest timer of 24.8 days", 2_592_000, { totalTimeoutMs: Number.POSITIVE_INFINITY }],
  ])("beyond %s ends the call at once, and is in the error", async (_, seconds, options) => {
    const limited = failing(429, "rate_limited", { "Retry-After": String(seconds) });
    const { world, get } = worldOf([limited, found], options);
    const error = { name: "RateLimitError", retryAfterMs: seconds * 1000, attempts: 1 };
    expect(await world.failure(get())).toMatchObject(error);
    expect(performance.now()).toBe(0);
  });
});

describe("the timeout of an attempt", () => {
  test("ends an attempt after 10 seconds by default, and starts again for the next one", async () => {
    const { world, get } = hanging({});
    const error = { name: "TimeoutError", clock: "attempt", attempts: 4 };
    expect(await world.failure(get())).toMatchObject(error);
    expect(world.responses.map(({ durationMs }) => durationMs)).toEqual([
      10_000, 10_000, 10_000, 10_000,
    ]);
    expect(performance.now()).toBeGreaterThan(40_000);
  });

  test("can be set for a client and for a call", async () => {
    const { world, get } = hanging({ timeoutMs: 2000, maxRetries: 0 });
    await world.failure(get());
    await world.failure(world.api.entries.get(entryId, { timeoutMs: 500 }));
    expect(world.responses.map(({ durationMs }) => durationMs)).toEqual([2000, 500]);
  });
});

describe("the timeout of a call", () => {
  test("ends it after 75 seconds by default, including attempts and waits", async () => {
    const { world, get } = hanging({ timeoutMs: 50_000 });
    expect(await world.failure(get())).toMatchObject({
      name: "TimeoutError",
      clock: "total",
      attempts: 2,
      cause: { clock: "attempt" },
    });
    expect(performance.now()).toBe(75_000);
  });

  test("ends a call that waits for its turn before the turn of another that ends then", async () => {
    const { world } = hanging({ totalTimeoutMs: 2000 });
    const call = () => {
      vi.advanceTimersByTime(1); // each call begins and ends a little later
      return world.api.entries.create(queueId, customer1);
    };
    const results = await world.run(Promise.allSettled(Array.from({ length: 12 }, call)));
    const errors = results.map((result) => result.status === "rejected" && result.reason);
    const sent = { name: "TimeoutError", attempts: 1, outcome: "unknown" };
    for (const error of errors.slice(0, 4)) expect(error).toMatchObject(sent);
    const message =
      "entries.create: the call was not finished within 2000 ms (totalTimeoutMs). It waited for the response to another call, which reports the rate limit.";
    for (const error of errors.slice(4)) {
      expect(error).toMatchObject({ name: "TimeoutError", attempts: 0, outcome: "none", message });
    }
    expect(world.responses).toHaveLength(4);
  });

  test("ends the call at once when the next wait would exceed it", async () => {
    const { world, get } = worldOf([failing(500, "internal_error")], { totalTimeoutMs: 1 });
    expect(await world.failure(get())).toMatchObject({ name: "ServerError" });
    expect(performance.now()).toBe(0);
  });

  test.each([
    { off: "totalTimeoutMs", timeoutMs: 50_000, error: { clock: "attempt", attempts: 4 } },
    { off: "timeoutMs", totalTimeoutMs: 50_000, error: { clock: "total", attempts: 1 } },
  ])("and that of an attempt can be switched off: $off", async ({ off, error, ...options }) => {
    const { world, get } = hanging({ ...options, [off]: Number.POSITIVE_INFINITY });
    expect(await world.failure(get())).toMatchObject(error);
  });
});

/** A client of a service that never responds. */
function hanging(options: object) {
  const fetch = () => new Promise<Response>(() => {});
  const world = new World({ fetch, ...options }, () => Number.POSITIVE_INFINITY);
  return { world, get: () => world.api.entries.get(entryId) };
}
