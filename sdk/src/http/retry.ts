/** How an attempt failed. */
export type Failure =
  /** No answer: the connection was refused or reset, or the host was not resolved. */
  | { readonly kind: "connection" }
  /** The attempt's own timeout expired. */
  | { readonly kind: "timeout" }
  /** The answer was cut off. */
  | { readonly kind: "truncated" }
  /** An error answer. */
  | { readonly kind: "refused"; readonly status: number; readonly code: string | null }
  /** An answer that the service did not send. */
  | { readonly kind: "unexpected" };

/** The reason for a retry. */
export type RetryReason =
  | "connection"
  | "timeout"
  | "truncated"
  | "rate_limited"
  | "request_in_progress"
  | "request_timeout"
  | "server_error"
  /** The API key was refused, and there is another. */
  | "key_changed";

/**
 * The reason to retry after a failure, or null for no retry: the same request would fail the same way, or
 * a retry would do harm.
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

/** The facts that decide about a retry, besides the failure. */
export interface RetryFacts {
  /** Requests sent so far. */
  readonly attempts: number;
  readonly maxRetries: number;
  /** Whether sending the request twice does no harm. */
  readonly repeatable: boolean;
  /** The wait by the backoff rule. */
  readonly backoffMs: number;
  /** The wait that the service requests; null if it requests none. */
  readonly retryAfterMs: number | null;
  /** The remaining time of the call. */
  readonly remainingMs: number;
}

/** Another attempt after a wait. */
export interface Retry {
  readonly reason: RetryReason;
  readonly waitMs: number;
}

/**
 * Decides whether and when to retry; null ends the call with the failure. The wait is never shorter than the
 * service requests. If the call has no time for the wait, it ends at once. A request that must not be sent
 * twice is retried only if the service reports that it had no effect.
 */
export function decideRetry(failure: Failure, facts: RetryFacts): Retry | null {
  const reason = retryReason(failure);
  if (reason === null || facts.attempts > facts.maxRetries) return null;
  if (!facts.repeatable && mayHaveActed(failure)) return null;
  const waitMs = Math.max(facts.backoffMs, facts.retryAfterMs ?? 0);
  return waitMs < facts.remainingMs ? { reason, waitMs } : null;
}

/** Whether the request of a failed attempt may have taken effect: the service did not refuse it. */
export function mayHaveActed(failure: Failure): boolean {
  return failure.kind !== "refused" || failure.status >= 500 || failure.status === 408;
}

/** The longest wait after the first failure. */
const firstBackoffMs = 300;

/** The longest wait after any failure. */
const longestBackoffMs = 8_000;

/**
 * The wait after a failed attempt: exponential backoff with full jitter, so that clients that failed at the
 * same time do not retry at the same time.
 *
 * @param attempt - The attempt that failed, from 1.
 * @param random - From 0 up to 1.
 * @returns Milliseconds, from 0 up to a maximum of 300 that doubles with each attempt, to at most 8,000.
 */
export function backoff(attempt: number, random: number): number {
  return random * Math.min(longestBackoffMs, firstBackoffMs * 2 ** (attempt - 1));
}
