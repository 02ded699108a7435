import type { Clock } from "../rules/ports.js";
import { SettledTime } from "../rules/settled-time.js";

/** How long the clock must agree with elapsed time before the process removes records: ten minutes. */
const trustedAfterMs = 600_000;

/** By how much they may differ from one reading to the next. */
const agreedWithinMs = 60_000;

/** The time of a store. Every adapter and operation gets the time from here. */
export class StoreClock {
  readonly #clock: Clock;
  readonly #elapsed: Clock;
  readonly #settled: SettledTime;
  /** The last reading of both, and since when they have agreed, in elapsed time. */
  #last: { readonly now: number; readonly elapsed: number; readonly agreedSince: number };

  /** `elapsed`: milliseconds of a monotonic clock. If `clock` leaps ahead of it, nothing expires. */
  constructor(clock: Clock, elapsed: Clock) {
    this.#clock = clock;
    this.#elapsed = elapsed;
    this.#settled = new SettledTime(elapsed);
    this.#last = { now: clock(), elapsed: elapsed(), agreedSince: elapsed() };
    this.expiry(); // the first reading, without which a leap cannot be detected
  }

  /** The time of windows and of what an operation records. */
  now(): number {
    return this.#clock();
  }

  /** The time that expires long-lived records; see {@link SettledTime}. */
  expiry(): number {
    return this.#settled.at(this.#clock());
  }

  /**
   * The time that removes records; null until the clock has agreed with elapsed time for ten minutes. A clock that was
   * wrong when the process started is usually corrected by then.
   */
  pruneTime(): number | null {
    const expiry = this.expiry();
    const [now, elapsed] = [this.#clock(), this.#elapsed()];
    const { now: before, elapsed: then, agreedSince } = this.#last;
    const agrees = Math.abs(now - before - (elapsed - then)) <= agreedWithinMs;
    this.#last = { now, elapsed, agreedSince: agrees ? agreedSince : elapsed };
    return elapsed - this.#last.agreedSince < trustedAfterMs ? null : expiry;
  }
}
