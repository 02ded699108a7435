const formatters = new Map<string, Intl.DateTimeFormat>();
const minutes = new Map<string, { minute: number; day: string }>();

function formatter(timezone: string): Intl.DateTimeFormat {
  let found = formatters.get(timezone);
  if (!found) {
    found = new Intl.DateTimeFormat("en-US", {
      timeZone: timezone,
      calendar: "iso8601",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
    });
    formatters.set(timezone, found);
  }
  return found;
}

/**
 * The calendar day at an instant in a time zone (null: UTC), correct across daylight-saving changes. Offsets
 * are whole minutes, so the day is computed once per minute and zone.
 */
export function businessDay(now: number, timezone: string | null): string {
  const zone = timezone ?? "UTC";
  const minute = Math.floor(now / 60_000);
  const known = minutes.get(zone);
  if (known?.minute === minute) return known.day;
  const parts = new Map(
    formatter(zone)
      .formatToParts(now)
      .map((part) => [part.type, part.value]),
  );
  const day = `${parts.get("year")?.padStart(4, "0")}-${parts.get("month")}-${parts.get("day")}`;
  minutes.set(zone, { minute, day });
  return day;
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

/** Offsets from UTC are multiples of a quarter of an hour, and so are their changes. */
const quarterHour = 15 * 60_000;

/**
 * The local hour (0 to 23) in a time zone (null: UTC), correct across daylight-saving changes. It is fast for
 * many instants, because each quarter of an hour is computed once.
 */
export function localHours(timezone: string | null): (at: number) => number {
  const clock = new Intl.DateTimeFormat("en-US", {
    timeZone: timezone ?? "UTC",
    hour: "numeric",
    hourCycle: "h23",
  });
  const known = new Map<number, number>();
  return (at) => {
    const quarter = Math.floor(at / quarterHour);
    const found = known.get(quarter);
    if (found !== undefined) return found;
    const hour = Number(clock.format(quarter * quarterHour));
    known.set(quarter, hour);
    return hour;
  };
}

const wallClocks = new Map<string, Intl.DateTimeFormat>();

/** The local time in a time zone at an instant, as if it were UTC. */
function wallTime(at: number, timezone: string): number {
  let clock = wallClocks.get(timezone);
  if (!clock) {
    clock = new Intl.DateTimeFormat("sv-SE", {
      timeZone: timezone,
      dateStyle: "short",
      timeStyle: "medium",
    });
    wallClocks.set(timezone, clock);
  }
  const second = Math.floor(at / 1000) * 1000;
  return Date.parse(`${clock.format(second).replace(" ", "T")}Z`) + (at - second);
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
