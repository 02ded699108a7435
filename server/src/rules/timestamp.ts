/** An instant as responses show it: ISO 8601 in UTC, with milliseconds. */
export function timestamp(at: number): string {
  return new Date(at).toISOString();
}

export function timestampOrNull(at: number | null): string | null {
  return at === null ? null : timestamp(at);
}
