import { clockSlackMs } from "./clock-slack.js";

/** A fixed window: it starts with the first thing counted and lasts a fixed time. */
export interface Window {
  readonly startedAt: number;
  readonly count: number;
}

/** What a window allows. */
export interface WindowLimit {
  /** Its name in the RateLimit-Policy header. */
  readonly name: string;
  readonly limit: number;
  readonly seconds: number;
}

/** A window as a caller sees it: the RateLimit headers. */
export interface WindowReport {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window resets, from 1 to its length. */
  readonly resetSeconds: number;
  /** The limits of every window that the caller has, this one's first. */
  readonly policy: readonly WindowLimit[];
}

/** The window that is running now, or an empty one. A clock that was set back ends a window too. */
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

/** The report with the fewest left; of two equal ones the later to reset. */
export function tightest(a: WindowReport, b: WindowReport): WindowReport {
  if (a.remaining !== b.remaining) return a.remaining < b.remaining ? a : b;
  return a.resetSeconds >= b.resetSeconds ? a : b;
}
