import { addDays, businessDay } from "./business-day.js";

/** The people waiting on one day of every business in one time zone. */
export interface ZoneDayLoad {
  /** Null is UTC. */
  readonly timezone: string | null;
  readonly date: string;
  readonly waiting: number;
  /** When the first person of a line came, the earliest of all lines; null when nobody waits. */
  readonly firstIssuedAt: number | null;
}

/** Everybody who waits now, in all queues of all businesses. */
export interface LinesLoad {
  readonly waiting: number;
  /** How long the first person of a line has waited at most, in seconds; 0 when nobody waits. */
  readonly longestSeconds: number;
}

/** The days that it is now somewhere. */
export function daysNow(now: number): string[] {
  const day = businessDay(now, null);
  return [addDays(day, -1), day, addDays(day, 1)];
}

/** Adds up the lines of today, wherever that day is today. Whoever was left waiting yesterday counts no more. */
export function linesLoad(days: readonly ZoneDayLoad[], now: number): LinesLoad {
  const today = days.filter(({ date, timezone }) => date === businessDay(now, timezone));
  const first = Math.min(now, ...today.flatMap(({ firstIssuedAt }) => firstIssuedAt ?? []));
  return {
    waiting: today.reduce((sum, { waiting }) => sum + waiting, 0),
    longestSeconds: (now - first) / 1000,
  };
}
