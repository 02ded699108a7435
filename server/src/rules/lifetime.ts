/** By how much the clocks of two instances may differ, in milliseconds. */
const clockErrorMs = 60_000;

/**
 * Whether something that lives for `lifetimeMs` has not expired. If more time than that is left, it began while a clock was
 * wrong, and has expired.
 */
export function isAlive(expiresAt: number, now: number, lifetimeMs: number): boolean {
  const leftMs = expiresAt - now;
  return leftMs > 0 && leftMs <= lifetimeMs + clockErrorMs;
}
