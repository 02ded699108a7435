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
 * The calendar day at an instant in a time zone (null: UTC), right across daylight-saving changes.
 * Offsets are whole minutes, so the day is worked out once a minute and zone.
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

/** The day that lies so many days after (or, negative, before) a day. */
export function addDays(day: string, days: number): string {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() + days);
  return at.toISOString().slice(0, 10);
}

/** Whether a name is an IANA time zone. An offset like +05:30 is not one. */
export function isTimezone(name: string): boolean {
  if (/^[+-]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
