import { ApiError, type QueueApiError, type RetryReason } from "../errors.js";

/** The reason to retry after an error response, or null for no retry: the same request would fail the same way. */
export function retryReason(status: number, code: string | null): RetryReason | null {
  if (code === "rate_limited" || code === "request_in_progress") return code;
  if (status === 408) return "request_timeout";
  return [500, 502, 503, 504].includes(status) ? "server_error" : null;
}

/** Whether the request of a failed attempt may have taken effect: it was sent, and the service did not refuse it. */
export function mayHaveActed(error: QueueApiError): boolean {
  if (error.isUnsent) return false;
  const status = error instanceof ApiError ? error.status : null;
  return status === null || status >= 500 || status === 408;
}

/**
 * The wait after a failed attempt, in milliseconds: exponential backoff with full jitter, so that clients that failed at
 * the same time do not retry at the same time. `attempt` counts from 1. `random` is at least 0 and less than 1.
 */
export function backoff(attempt: number, random: number): number {
  return random * Math.min(8_000, 300 * 2 ** (attempt - 1));
}
