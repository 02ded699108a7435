import type { Clock } from "./ports.js";

/** By how much a clock may run ahead of the time that has elapsed. More is a leap. */
const leapMs = 60_000;

/** How long a clock must go on after a leap until it is believed. */
const settleMs = 3_600_000;

/** A time, and the elapsed time at which it was read. */
interface Reading {
  readonly time: number;
  readonly elapsed: number;
}

/**
 * The time by which things expire that are kept long. It follows a clock, but not where that leaps ahead of
 * the time that has elapsed: a clock that is wrong for a minute must not expire what is kept for days. A
 * clock that goes on for an hour after a leap was set right, and is believed. One that is set back is
 * believed at once, since it expires nothing.
 */
export class SettledTime {
  readonly #elapsed: Clock;
  #believed: Reading | null = null;
  /** The first reading after a leap; null while there is none. */
  #leapt: Reading | null = null;

  /** `elapsed`: milliseconds of a monotonic clock. */
  constructor(elapsed: Clock) {
    this.#elapsed = elapsed;
  }

  /** The time that decides expiry when the clock shows this one. */
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
