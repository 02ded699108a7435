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
