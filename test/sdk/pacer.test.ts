import fc from "fast-check";
import { expect, test } from "vitest";
import { type PacedCall, Pacer } from "../../sdk/src/http/pacer.js";
import type { RatePolicy, RateReport } from "../../sdk/src/response.js";
import {
  charged,
  currentWindow,
  isBelowLimit,
  report,
  tightest,
  type Window,
  type WindowLimit,
} from "../../server/src/rules/window.js";
import { turnOfTheLoop, VirtualClock } from "./support/virtual-clock.js";

/** The two windows of a key, counted with the rules of the service. */
class KeyOnServer {
  readonly #requests: Counted;
  readonly #writes: Counted;

  constructor(requestsPerMinute: number, writesPerMinute: number) {
    this.#requests = { limit: perMinute("requests", requestsPerMinute), window: null };
    this.#writes = { limit: perMinute("writes", writesPerMinute), window: null };
  }

  /** Whether a request that arrives now is admitted, and the headers of its response. */
  answer(write: boolean, now: number): { readonly admitted: boolean; readonly report: RateReport } {
    const counted = write ? [this.#requests, this.#writes] : [this.#requests];
    const states = counted.map((one) => ({ one, window: currentWindow(one.window, 60, now) }));
    const admitted = states.every(({ one, window }) => isBelowLimit(window, one.limit));
    const reports = states.map(({ one, window }) => {
      if (!admitted) return report(window, one.limit, now);
      one.window = charged(window);
      return report(one.window, one.limit, now);
    });
    const { limit, remaining, resetSeconds } = reports.reduce(tightest);
    return { admitted, report: { limit, remaining, resetMs: resetSeconds * 1000, policy: null } };
  }

  /** The limits as `RateLimit-Policy` names them. */
  policyOf({ limit }: RateReport): RatePolicy {
    const requests = this.#requests.limit.limit;
    const writes = this.#writes.limit.limit; // always less, so that the limit identifies the window
    return { requests, writes, reported: limit === writes ? "writes" : "requests" };
  }
}

interface Counted {
  readonly limit: WindowLimit;
  window: Window | null;
}

const perMinute = (name: string, limit: number) => ({ name, limit, seconds: 60 });

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

let lastPlace = 0;

/** A new call. */
const call = (write: boolean): PacedCall => ({
  ...{ write, place: ++lastPlace, waitMs: 0 },
  ...{ signal: new AbortController().signal, onKnown: () => null },
});

test("for any calls and any order of responses, no call is refused once a response named both limits", async () => {
  await fc.assert(
    fc.asyncProperty(limits, calls, async ({ requests, writes }, all) => {
      const clock = new VirtualClock().install();
      const pacer = new Pacer();
      const key = new KeyOnServer(requests, writes);
      let informed = false;
      const pause = (ms: number) => new Promise<void>((resolve) => clock.setTimer(resolve, ms));
      const each = all.map(async ({ write, startsAt, arrivesAfter, answeredAfter }) => {
        await pause(startsAt);
        const turn = await pacer.turn(call(write));
        const mustFit = informed;
        await pause(arrivesAfter);
        const { admitted, report } = key.answer(write, clock.now());
        expect(admitted || !mustFit).toBe(true);
        await pause(answeredAfter);
        informed = true;
        pacer.end(turn, { ...report, policy: key.policyOf(report) }, admitted);
      });
      await clock.until(Promise.all(each));
    }),
    { numRuns: 60 },
  );
});

test("a call that waits for one window does not wake at each millisecond once the other has reset", async () => {
  const clock = new VirtualClock().install();
  const pacer = new Pacer();
  const policy = { requests: 20, writes: 5 };
  const answered = async (write: boolean, report: Omit<RateReport, "policy">) => {
    const turn = await pacer.turn(call(write));
    const reported = write ? ("writes" as const) : ("requests" as const);
    pacer.end(turn, { ...report, policy: { ...policy, reported } }, true);
  };
  await answered(true, { limit: policy.writes, remaining: 4, resetMs: 10_000 });
  await answered(false, { limit: policy.requests, remaining: 0, resetMs: 60_000 });
  let waits = true;
  void pacer.turn(call(false)).then(() => {
    waits = false;
  });
  let wakes = 0;
  for (; waits && wakes < 100; wakes++) {
    clock.next();
    await turnOfTheLoop();
  }
  expect([wakes, clock.now()]).toEqual([1, 60_000]);
});

test("a write behind a refused read goes when its own window has room", async () => {
  const clock = new VirtualClock().install();
  const pacer = new Pacer();
  const policy = { requests: 20, writes: 1, reported: "writes" } as const;
  const first = await pacer.turn(call(true));
  pacer.end(first, { limit: 1, remaining: 0, resetMs: 10_000, policy }, true);
  const refused = pacer.turn({ ...call(false), waitMs: 50_000 });
  const write = await clock.until(pacer.turn(call(true)));
  expect(write.sentAt).toBe(10_000);
  pacer.end(write, null, true);
  expect((await clock.until(refused)).sentAt).toBe(50_000);
});
