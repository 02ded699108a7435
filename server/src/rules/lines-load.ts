import { addDays, businessDay } from "./business-day.js";

/** The waiting entries of one day, over all businesses in one time zone. */
export interface ZoneDayLoad {
  /** Null is UTC. */
  readonly timezone: string | null;
  readonly date: string;
  readonly waiting: number;
  /** When the first waiting entry was issued, over all lines; null when none is waiting. */
  readonly firstIssuedAt: number | null;
}

/** The waiting entries now, in all queues of all businesses. */
export interface LinesLoad {
  readonly waiting: number;
  /** The longest time that the first entry of a line has waited, in seconds; 0 when none is waiting. */
  readonly longestSeconds: number;
}

/** The dates that are today in some time zone. */
export function daysNow(now: number): string[] {
  const day = businessDay(now, null);
  return [addDays(day, -1), day, addDays(day, 1)];
}

/** Adds up the lines of today, wherever that day is today. An entry that still waits from yesterday does not count. */
export function linesLoad(days: readonly ZoneDayLoad[], now: number): LinesLoad {
  const today = days.filter(({ date, timezone }) => date === businessDay(now, timezone));
  const first = Math.min(now, ...today.flatMap(({ firstIssuedAt }) => firstIssuedAt ?? []));
  return {
    waiting: today.reduce((sum, { waiting }) => sum + waiting, 0),
    longestSeconds: (now - first) / 1000,
  };
}
