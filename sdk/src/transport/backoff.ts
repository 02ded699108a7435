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
