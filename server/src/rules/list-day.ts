import { businessDay } from "./business-day.js";
import type { Business } from "./records.js";
import { invalidField } from "./refusal.js";

/** What a caller asks of the list of one day. */
interface ListQuery {
  readonly date?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** The day and the part of a list that a query asks for: by default today, or an earlier day if its cursor is of one. */
export function listRequest({ date, limit, cursor }: ListQuery, business: Business, now: number) {
  return {
    date: date ?? businessDay(now, business.timezone),
    part: { limit, after: cursor ?? null, orEarlier: date === undefined },
  };
}

/**
 * The day that a page continues, if the previous page ended with an item of `cursorDay`; null if the cursor
 * is invalid. A list without a date continues the day on which it began, even after midnight; `asked` is then
 * today. An item of a later day is invalid, because it was moved after the previous page.
 */
export function listDay(asked: string, cursorDay: string, orEarlier: boolean): string | null {
  if (cursorDay === asked) return asked;
  return orEarlier && cursorDay < asked ? cursorDay : null;
}

export function unknownCursor() {
  return invalidField("cursor", "must be the nextCursor of an earlier page of this list");
}
