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
