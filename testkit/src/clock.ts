const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A length of time: milliseconds, or a number with its unit, as in `"90s"`, `"15m"`, `"2h"`, `"1d"`. */
export type Duration = number | `${number}${keyof typeof units}`;

/** A length of time in milliseconds. Throws RangeError if the duration is invalid. */
export function milliseconds(duration: Duration): number {
  if (typeof duration === "number" && Number.isFinite(duration)) return duration;
  const [, amount, unit] = /^(-?\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(String(duration)) ?? [];
  if (!amount || !unit) {
    throw new RangeError("a duration must be milliseconds, or a text like 90s, 15m, 2h or 1d");
  }
  return Number(amount) * units[unit as keyof typeof units];
}

/** Returns the time in milliseconds since 1970, like `Date.now`. */
export type Clock = () => number;

/** A point in time: milliseconds since 1970, an ISO 8601 text, or a Date. */
export type Instant = number | string | Date;

/** The clock of the mocked service. It is stopped, or follows another clock, until it is moved. */
export class MockClock {
  readonly #followed: Clock;
  #offset = 0;

  /** Creates a clock that is stopped at an instant, or follows another clock. */
  constructor(start: Instant | Clock) {
    const instant = typeof start === "function" ? null : read(start);
    this.#followed = typeof start === "function" ? start : () => instant ?? 0;
  }

  /** The service's time, in milliseconds since 1970. */
  now(): number {
    return this.#followed() + this.#offset;
  }

  /** Moves the time forward: `advance("2h")`, `advance(500)`. */
  advance(duration: Duration): void {
    this.#offset += milliseconds(duration);
  }

  /** Moves the time to an instant, later or earlier. */
  set(instant: Instant): void {
    this.#offset = read(instant) - this.#followed();
  }

  /** Resets the clock to its initial state. */
  reset(): void {
    this.#offset = 0;
  }
}

function read(instant: Instant): number {
  const at = new Date(instant).getTime();
  if (Number.isNaN(at)) {
    throw new RangeError(
      "an instant must be milliseconds, a Date, or a text like 2026-11-21T04:30Z",
    );
  }
  return at;
}
