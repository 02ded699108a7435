/** What an answer tells of the tightest window that its request counts in. */
export interface RateReport {
  readonly limit: number;
  readonly remaining: number;
  /** Until the window resets, rounded up to whole seconds. */
  readonly resetMs: number;
}

/** What the `RateLimit-*` headers of an answer tell; null where they are absent or make no sense. */
export function rateReport(headers: Headers): RateReport | null {
  const limit = count(headers.get("ratelimit-limit"));
  const remaining = count(headers.get("ratelimit-remaining"));
  const reset = count(headers.get("ratelimit-reset"));
  if (limit === null || remaining === null || reset === null) return null;
  return { limit, remaining, resetMs: reset * 1000 };
}

function count(value: string | null): number | null {
  return value !== null && /^\d{1,15}$/.test(value) ? Number(value) : null;
}
