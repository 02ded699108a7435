/** Offsets from UTC are multiples of a quarter of an hour, and so are their changes. */
const quarterHour = 15 * 60_000;

/** The offsets of a time zone, by the number of the quarter of an hour. */
type Offsets = Map<number, number>;

const offsets = new Map<string, { clock: Intl.DateTimeFormat; known: Offsets }>();

const mostOffsets = 10_000;

/**
 * The local time in a time zone at an instant, as if it were UTC. It is fast for many instants, because each quarter
 * of an hour is computed once.
 */
function wallTime(at: number, timezone: string): number {
  let zone = offsets.get(timezone);
  if (!zone) {
    const clock = new Intl.DateTimeFormat("sv-SE", {
      timeZone: timezone,
      dateStyle: "short",
      timeStyle: "medium",
    });
    zone = { clock, known: new Map() };
    offsets.set(timezone, zone);
  }
  const quarter = Math.floor(at / quarterHour);
  let offset = zone.known.get(quarter);
  if (offset === undefined) {
    const start = quarter * quarterHour;
    offset = Date.parse(`${zone.clock.format(start).replace(" ", "T")}Z`) - start;
    if (zone.known.size === mostOffsets) zone.known.clear();
    zone.known.set(quarter, offset);
  }
  return at + offset;
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
  const midnight = Date.parse(`${day}T00:00:00Z`) / 60_000;
  let before = midnight - 15 * 60; // no zone is further from UTC than 15 hours
  let start = midnight + 15 * 60;
  while (start - before > 1) {
    const middle = Math.floor((before + start) / 2);
    if (businessDay(middle * 60_000, timezone) < day) before = middle;
    else start = middle;
  }
  return start * 60_000;
}

/** The local hour (0 to 23) in a time zone (null: UTC), correct across daylight-saving changes. */
export function localHour(at: number, timezone: string | null): number {
  return new Date(wallTime(at, timezone ?? "UTC")).getUTCHours();
}

const dayMs = 86_400_000;

/**
 * The instant on another day with the same local time in a time zone (null: UTC). If that local time occurs
 * twice on the day, it is the first. If a daylight-saving change skips it, it is later by the length of the
 * skip.
 */
export function sameTimeOn(day: string, at: number, timezone: string | null): number {
  const zone = timezone ?? "UTC";
  const timeOfDay = wallTime(at, zone) % dayMs;
  const shown = Date.parse(`${day}T00:00:00Z`) + timeOfDay;
  // No zone is a full day from UTC, and none changes its offset twice within two days.
  const [first = shown, second = shown] = [shown - dayMs, shown + dayMs].map(
    (near) => shown - (wallTime(near, zone) - near),
  );
  return wallTime(first, zone) !== shown && wallTime(second, zone) === shown ? second : first;
}

/** Whether a name is an IANA time zone. An offset like +05:30 is not a name. */
export function isTimezone(name: string): boolean {
  if (/^[+-]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
