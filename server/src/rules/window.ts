import { number, type RecordOf } from "./fields.js";

/** A fixed window: it starts with the first event that it counts and has a fixed length. */
export const window = { startedAt: number, count: number };

export type Window = RecordOf<typeof window>;

/** The limit of a window. */
export interface WindowLimit {
  /** Its name in the RateLimit-Policy header. */
  readonly name: string;
  readonly limit: number;
  readonly seconds: number;
}

/** A window as the RateLimit headers report it. */
export interface WindowReport {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window resets, from 1 to its length. */
  readonly resetSeconds: number;
  /** The limits of all windows of the caller, this one first. */
  readonly policy: readonly WindowLimit[];
}

/**
 * How far the times of operations may be out of order, in milliseconds. Of two concurrent operations, the one that
 * began first may commit last, and the clocks of the servers of a database differ slightly. A time further in
 * the future was written before the clock was set back.
 */
const clockSlackMs = 10_000;

/** The current window, or an empty one if it has ended. A clock that was set back also ends a window. */
export function currentWindow(window: Window | null, seconds: number, now: number): Window {
  const runs =
    window !== null &&
    window.startedAt <= now + clockSlackMs &&
    now < window.startedAt + seconds * 1000;
  return runs ? window : { startedAt: now, count: 0 };
}

/** Whether one more request fits into a window that {@link currentWindow} returned. */
export function isBelowLimit(window: Window, { limit }: WindowLimit): boolean {
  return window.count < limit;
}

/** The window after one more request. */
export function charged(window: Window): Window {
  return { startedAt: window.startedAt, count: window.count + 1 };
}

/** The report of a window that {@link currentWindow} returned. `others` are the caller's other windows. */
export function report(
  window: Window,
  limit: WindowLimit,
  now: number,
  others: readonly WindowLimit[] = [],
): WindowReport {
  const left = Math.ceil((window.startedAt - now) / 1000 + limit.seconds);
  return {
    limit: limit.limit,
    remaining: Math.max(0, limit.limit - window.count),
    resetSeconds: Math.min(Math.max(1, left), limit.seconds),
    policy: [limit, ...others],
  };
}

/** The report with the fewest remaining requests. If two are equal, the one that resets later. */
export function tightest(a: WindowReport, b: WindowReport): WindowReport {
  if (a.remaining !== b.remaining) return a.remaining < b.remaining ? a : b;
  return a.resetSeconds >= b.resetSeconds ? a : b;
}
