import { addDays, businessDay } from "./business-day.js";

/** The waiting entries of one day, over all businesses in one time zone. */
export interface ZoneDayLoad {
  /** Null is UTC. */
  readonly timezone: string | null;
  readonly date: string;
  readonly waiting: number;
  /** When the earliest waiting entry was issued, over all lines; null if none is waiting. */
  readonly firstIssuedAt: number | null;
}

/** The waiting entries now, in all queues of all businesses. */
export interface LinesLoad {
  readonly waiting: number;
  /** The longest wait of an entry, in seconds; 0 if none is waiting. */
  readonly longestSeconds: number;
}

/** The dates that are today in at least one time zone. */
export function daysNow(now: number): string[] {
  const day = businessDay(now, null);
  return [addDays(day, -1), day, addDays(day, 1)];
}

/** Adds up the lines of today in each time zone. Entries that have waited since yesterday do not count. */
export function linesLoad(days: readonly ZoneDayLoad[], now: number): LinesLoad {
  const today = days.filter(({ date, timezone }) => date === businessDay(now, timezone));
  const first = Math.min(now, ...today.flatMap(({ firstIssuedAt }) => firstIssuedAt ?? []));
  return {
    waiting: today.reduce((sum, { waiting }) => sum + waiting, 0),
    longestSeconds: (now - first) / 1000,
  };
}
