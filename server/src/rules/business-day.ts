/** The clocks of the time zones that were asked for. Making one takes far longer than reading it. */
const clocks = new Map<string, Intl.DateTimeFormat>();

/** The local time in a time zone at an instant, as if it were UTC. */
function wallTime(at: number, timezone: string): number {
  let clock = clocks.get(timezone);
  if (!clock) {
    const format = { timeZone: timezone, dateStyle: "short", timeStyle: "medium" } as const;
    clock = new Intl.DateTimeFormat("sv-SE", format);
    clocks.set(timezone, clock);
  }
  const ofSecond = at - Math.floor(at / 1_000) * 1_000; // the format has whole seconds
  return Date.parse(`${clock.format(at).replace(" ", "T")}Z`) + ofSecond;
}

/** The calendar day at an instant in a time zone (null: UTC), correct across daylight-saving changes. */
export function businessDay(now: number, timezone: string | null): string {
  return new Date(wallTime(now, timezone ?? "UTC")).toISOString().slice(0, 10);
}

/** The day that many days after a day, or before it if the number is negative. */
export function addDays(day: string, days: number): string {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + days);
  return at.toISOString().slice(0, 10);
}

/**
 * The first instant of a day in a time zone (null: UTC): midnight, or the first instant after it if a
 * daylight-saving change skips midnight. A day ends where the next one starts.
 */
export function startOfDay(day: string, timezone: string | null): number {
  return instantAt(Date.parse(`${day}T00:00:00Z`), timezone ?? "UTC");
}

/** The local hour (0 to 23) in a time zone (null: UTC), correct across daylight-saving changes. */
export function localHour(at: number, timezone: string | null): number {
  return new Date(wallTime(at, timezone ?? "UTC")).getUTCHours();
}

const dayMs = 86_400_000;

/** The instant on another day with the same local time in a time zone (null: UTC). */
export function sameTimeOn(day: string, at: number, timezone: string | null): number {
  const zone = timezone ?? "UTC";
  return instantAt(Date.parse(`${day}T00:00:00Z`) + (wallTime(at, zone) % dayMs), zone);
}

/**
 * The instant at which a time zone shows a local time, given as if it were UTC. If the local time occurs twice, it is the
 * first. If a daylight-saving change skips it, it is later by the length of the skip.
 */
function instantAt(shown: number, zone: string): number {
  // No zone is a full day from UTC, and none changes its offset twice within two days.
  const [first = shown, second = shown] = [shown - dayMs, shown + dayMs].map(
    (near) => shown - (wallTime(near, zone) - near),
  );
  return wallTime(first, zone) !== shown && wallTime(second, zone) === shown ? second : first;
}
