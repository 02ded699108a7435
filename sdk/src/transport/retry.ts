/** How an attempt failed. */
export type Failure =
  /** No answer: refused, reset, not resolved. */
  | { readonly kind: "connection" }
  /** The attempt's own clock ran out. */
  | { readonly kind: "timeout" }
  /** The answer began and broke off. */
  | { readonly kind: "truncated" }
  /** An answer that is no success. */
  | { readonly kind: "refused"; readonly status: number; readonly code: string | null }
  /** An answer that is not the service's. */
  | { readonly kind: "unexpected" };

/** Why an attempt is made again. */
export type RetryReason =
  | "connection"
  | "timeout"
  | "truncated"
  | "rate_limited"
  | "request_in_progress"
  | "request_timeout"
  | "server_error";

/**
 * Why a failure is worth another attempt, or null when it is not: the same request would fail the same
 * way, or asking again would do harm.
 */
function retryReason(failure: Failure): RetryReason | null {
  if (failure.kind === "unexpected") return null;
  if (failure.kind !== "refused") return failure.kind;
  switch (failure.status) {
    case 408:
      return "request_timeout";
    case 409:
      return failure.code === "request_in_progress" ? "request_in_progress" : null;
    case 429:
      return failure.code === "rate_limited" ? "rate_limited" : null;
    case 500:
    case 502:
    case 503:
    case 504:
      return "server_error";
    default:
      return null;
  }
}

/** What the decision depends on beside the failure. */
export interface RetryFacts {
  /** Requests sent so far. */
  readonly attempts: number;
  readonly maxRetries: number;
  /** Whether sending the request twice does no harm. */
  readonly repeatable: boolean;
  /** The wait that backoff asks for. */
  readonly backoffMs: number;
  /** The wait that the service asks for; null when it asks for none. */
  readonly retryAfterMs: number | null;
  /** What is left of the call's time. */
  readonly remainingMs: number;
}

/** Another attempt after a wait. */
export interface Retry {
  readonly reason: RetryReason;
  readonly waitMs: number;
}

/**
 * Whether to ask again and when; null ends the call with the failure. What the service asks for is never
 * undercut; a wait that the call has no time for ends it at once. A request that must not be sent twice is
 * sent again only where the service said that it did nothing.
 */
export function decideRetry(failure: Failure, facts: RetryFacts): Retry | null {
  const reason = retryReason(failure);
  if (reason === null || facts.attempts > facts.maxRetries) return null;
  if (!facts.repeatable && mayHaveActed(reason)) return null;
  const waitMs = Math.max(facts.backoffMs, facts.retryAfterMs ?? 0);
  return waitMs < facts.remainingMs ? { reason, waitMs } : null;
}

/** Whether a request may have done its work although no success came back. */
export function mayHaveActed(reason: RetryReason): boolean {
  return reason !== "rate_limited" && reason !== "request_in_progress";
}

/** The longest wait after the first failure. */
const firstBackoffMs = 300;

/** The longest wait after any failure. */
const longestBackoffMs = 8_000;

/**
 * How long to wait after a failed attempt: exponential with full jitter, so that many clients that
 * failed together do not come back together.
 *
 * @param attempt - The attempt that failed, from 1.
 * @param random - From 0 up to 1.
 * @returns Milliseconds, from 0 to 0.3 s, doubling with each attempt, to 8 s.
 */
export function backoff(attempt: number, random: number): number {
  return random * Math.min(longestBackoffMs, firstBackoffMs * 2 ** (attempt - 1));
}

/**
 * How long a `Retry-After` header asks to wait.
 *
 * @param value - The header: seconds, or an HTTP date.
 * @param now - The time that a date is compared with, in milliseconds since 1970.
 * @returns Milliseconds, at least 0; null when the header is absent or says neither.
 */
export function retryAfter(value: string | null, now: number): number | null {
  const text = value?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  if (!/^[A-Za-z]{3}/.test(text)) return null; // Date.parse would read "-5" as a year
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
