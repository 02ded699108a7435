import { invalidField } from "./api-error.js";
import { businessDay } from "./business-day.js";
import type { Business } from "./records.js";

/** What a caller asks of the list of one day. */
interface ListQuery {
  readonly date?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** The day and the part of a list that a query asks for: by default today, or the day of its cursor. */
export function listRequest({ date, limit, cursor }: ListQuery, business: Business, now: number) {
  return {
    date: date ?? businessDay(now, business.timezone),
    part: { limit, after: cursor ?? null, ofAnyDay: date === undefined },
  };
}

export function unknownCursor() {
  return invalidField("cursor", "must be the nextCursor of an earlier page of this list");
}
