import type { HttpAnswer } from "./exchange.js";

/** What an answer tells of the tightest window that its request counts in. */
export interface RateReport {
  readonly limit: number;
  readonly remaining: number;
  /** Until the window resets, rounded up to whole seconds. */
  readonly resetMs: number;
}

/** The `RateLimit-*` headers of an answer; null where they are absent or make no sense. */
export function rateReport(answer: HttpAnswer): RateReport | null {
  const limit = count(answer.header("ratelimit-limit"));
  const remaining = count(answer.header("ratelimit-remaining"));
  const reset = count(answer.header("ratelimit-reset"));
  if (limit === null || remaining === null || reset === null) return null;
  return { limit, remaining, resetMs: reset * 1000 };
}

function count(value: string | null): number | null {
  return value !== null && /^\d{1,15}$/.test(value) ? Number(value) : null;
}
