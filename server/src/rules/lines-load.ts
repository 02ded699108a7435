import { addDays, businessDay } from "./business-day.js";

/** The waiting entries of a business on one day. */
export interface DayLoad {
  /** Null is UTC. */
  readonly timezone: string | null;
  readonly date: string;
  readonly waiting: number;
  /** When the earliest of them was issued. */
  readonly firstIssuedAt: number;
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

/** Adds up the lines of today, in the time zone of each business. Entries that have waited since yesterday do not count. */
export function linesLoad(days: readonly DayLoad[], now: number): LinesLoad {
  const today = days.filter(({ date, timezone }) => date === businessDay(now, timezone));
  const first = today.reduce((least, { firstIssuedAt }) => Math.min(least, firstIssuedAt), now);
  return {
    waiting: today.reduce((sum, { waiting }) => sum + waiting, 0),
    longestSeconds: (now - first) / 1000,
  };
}
