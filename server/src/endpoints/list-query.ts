import type { Caller } from "../http/context.js";
import { businessDay } from "../rules/business-day.js";
import { invalidField } from "../rules/refusal.js";
import type { PageRequest } from "../store/port/page.js";

/** The query of a list of one day. */
interface ListQuery {
  readonly date?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** The day and the part of a list that a caller asks for. Without a date, a cursor may be of an earlier day. */
export function listRequest(
  { date, limit, cursor }: ListQuery,
  { business, now }: Caller,
): { readonly date: string; readonly part: PageRequest } {
  return {
    date: date ?? businessDay(now, business.timezone),
    part: { limit, after: cursor ?? null, orEarlier: date === undefined },
  };
}

export function unknownCursor() {
  return invalidField("cursor", "must be the nextCursor of an earlier page of this list");
}
