const dayMs = 86_400_000;

/** The last formatted day and its text. Most instants of one response have the same day. */
let lastDay = 0;
let lastDate = "1970-01-01T";

/**
 * An instant as responses show it: ISO 8601 in UTC, with milliseconds. It equals `new Date(at).toISOString()`
 * in a third of the time, which matters for a list of fifty entries.
 */
export function timestamp(at: number): string {
  const whole = Math.trunc(at);
  const day = Math.floor(whole / dayMs);
  if (day !== lastDay) {
    lastDate = new Date(whole).toISOString().slice(0, -"00:00:00.000Z".length);
    lastDay = day;
  }
  const ms = whole - day * dayMs;
  const seconds = Math.floor(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const thousandths = `${1_000 + (ms % 1_000)}`.slice(1);
  return `${lastDate}${two(hours)}:${two(minutes % 60)}:${two(seconds % 60)}.${thousandths}Z`;
}

/** Two digits: 7 becomes `07`. */
function two(number: number): string {
  return number < 10 ? `0${number}` : `${number}`;
}

export function timestampOrNull(at: number | null): string | null {
  return at === null ? null : timestamp(at);
}
