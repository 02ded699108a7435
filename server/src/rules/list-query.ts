import { invalidField } from "./api-error.js";
import { businessDay } from "./business-day.js";
import { dayOfCursor } from "./cursor.js";
import type { Business } from "./records.js";

/** What a caller asks of the list of one day. */
interface ListQuery {
  readonly date?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** The day and the part of a list that a query asks for: by default the day of its cursor, or today. */
export function listRequest({ date, limit, cursor }: ListQuery, business: Business, now: number) {
  const cursorDay = cursor === undefined ? null : dayOfCursor(cursor);
  return {
    date: date ?? cursorDay ?? businessDay(now, business.timezone),
    part: { limit, after: cursor ?? null },
  };
}

export function unknownCursor() {
  return invalidField("cursor", "must be the nextCursor of an earlier page of this list");
}
