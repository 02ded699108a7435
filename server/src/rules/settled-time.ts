import type { Clock } from "./ports.js";

/** How far a clock may be ahead of the elapsed time. A larger difference is a leap. */
const leapMs = 60_000;

/** How long a clock must continue after a leap before it is trusted. */
const settleMs = 3_600_000;

/** A time, and the elapsed time at which it was read. */
interface Reading {
  readonly time: number;
  readonly elapsed: number;
}

/**
 * The time that expires long-lived records. It follows a clock, but ignores a leap ahead of the elapsed time:
 * a clock that is wrong for a minute must not expire records that are kept for days. If the clock continues
 * for an hour after a leap, it was corrected and is trusted. A clock that is set back is trusted at once,
 * since that expires nothing.
 */
export class SettledTime {
  readonly #elapsed: Clock;
  #believed: Reading | null = null;
  /** The first reading after a leap; null if there is none. */
  #leapt: Reading | null = null;

  /** `elapsed`: milliseconds of a monotonic clock. */
  constructor(elapsed: Clock) {
    this.#elapsed = elapsed;
  }

  /** The time to use for expiry when the clock shows `now`. */
  at(now: number): number {
    const reading = { time: now, elapsed: this.#elapsed() };
    const expected = carriedOn(this.#believed ?? reading, reading.elapsed);
    if (now - expected <= leapMs || this.#hasSettled(reading)) {
      this.#believed = reading;
      this.#leapt = null;
      return now;
    }
    return expected;
  }

  #hasSettled(reading: Reading): boolean {
    const { time, elapsed } = reading;
    if (!this.#leapt || Math.abs(time - carriedOn(this.#leapt, elapsed)) > leapMs) {
      this.#leapt = reading;
    }
    return elapsed - this.#leapt.elapsed >= settleMs;
  }
}

function carriedOn({ time, elapsed }: Reading, until: number): number {
  return Math.floor(time + until - elapsed);
}
