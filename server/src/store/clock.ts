import type { Clock } from "../rules/ports.js";

/** By how much the clock and elapsed time may differ from one reading to the next. A larger difference is a leap. */
const leapMs = 60_000;

/** How long the clock must agree with elapsed time before the process removes records: ten minutes. */
const trustedAfterMs = 600_000;

/** How long a clock that leapt ahead must go on before its new time expires records: an hour. */
const settledAfterMs = 3_600_000;

/** The time of a store. Every adapter and operation gets the time from here. */
export class StoreClock {
  readonly #clock: Clock;
  readonly #elapsed: Clock;
  /** How far the clock was ahead of elapsed time at the last reading. */
  #ahead: number;
  /** Since when the two agree, in elapsed time. */
  #agreedSince: number;
  /** How far the time that expires records is ahead of elapsed time. */
  #believedAhead: number;

  /** `elapsed`: milliseconds of a monotonic clock. If `clock` leaps ahead of it, nothing expires. */
  constructor(clock: Clock, elapsed: Clock) {
    this.#clock = clock;
    this.#elapsed = elapsed;
    this.#agreedSince = elapsed();
    this.#ahead = clock() - this.#agreedSince;
    this.#believedAhead = this.#ahead;
  }

  /** The time of windows and of what an operation records. */
  now(): number {
    return this.#clock();
  }

  /**
   * The time that expires long-lived records. It follows the clock, but ignores a leap ahead: a clock that is wrong for a
   * minute must not expire what is kept for days. A clock that is set back is trusted at once, since that expires nothing.
   */
  expiry(): number {
    const [now, elapsed] = [this.#clock(), this.#elapsed()];
    const ahead = now - elapsed;
    if (Math.abs(ahead - this.#ahead) > leapMs) this.#agreedSince = elapsed;
    this.#ahead = ahead;
    const isLeap = ahead - this.#believedAhead > leapMs;
    if (isLeap && elapsed - this.#agreedSince < settledAfterMs) {
      return Math.floor(this.#believedAhead + elapsed);
    }
    this.#believedAhead = ahead;
    return now;
  }

  /**
   * The time that removes records; null until the clock has agreed with elapsed time for ten minutes. A clock that was
   * wrong when the process started is usually corrected by then.
   */
  removalTime(): number | null {
    const expiry = this.expiry();
    return this.#elapsed() - this.#agreedSince < trustedAfterMs ? null : expiry;
  }
}
