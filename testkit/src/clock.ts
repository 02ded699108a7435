const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A length of time: milliseconds, or a number with its unit, as in `"90s"`, `"15m"`, `"2h"`, `"1d"`. */
export type Duration = number | `${number}${keyof typeof units}`;

/** A length of time in milliseconds. Throws RangeError if the duration is invalid or negative. */
export function milliseconds(duration: Duration): number {
  const [, amount, unit] = /^(-?\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(String(duration)) ?? [];
  const length =
    amount && unit ? Number(amount) * units[unit as keyof typeof units] : (duration as number);
  if (!Number.isFinite(length)) {
    throw new RangeError("a duration must be milliseconds, or a text like 90s, 15m, 2h or 1d");
  }
  if (length < 0) throw new RangeError("a duration must not be below 0");
  return length;
}

/** Returns the time in milliseconds since 1970, like `Date.now`. */
export type Clock = () => number;

/** A point in time: milliseconds since 1970, an ISO 8601 text, or a Date. */
export type Instant = number | string | Date;

/** The clock of the mocked service. It is stopped, or follows another clock, until it is moved. */
export class MockClock {
  readonly #followed: Clock;
  #offset = 0;

  /** Creates a clock that is stopped at an instant, or follows another clock. `"system"` is the system's. */
  constructor(start: Instant | Clock) {
    this.#followed = typeof start === "function" ? () => read(start()) : clockAt(start);
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

function clockAt(start: Instant): Clock {
  if (start === "system") return () => Date.now(); // the function of now: fake timers replace it
  const instant = read(start);
  return () => instant;
}

function read(instant: Instant): number {
  const at = new Date(instant ?? Number.NaN).getTime();
  if (Number.isNaN(at)) {
    throw new RangeError(
      "an instant must be milliseconds, a Date, or a text like 2026-11-21T04:30Z",
    );
  }
  return at;
}
