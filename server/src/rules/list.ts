/** A page of a list. It may be empty. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The position where the next page begins; null on the last page. */
  readonly nextCursor: string | null;
}

/** The part of a list to read. */
export interface PageRequest {
  readonly limit: number;
  /** The `nextCursor` of the previous page; null for the first page. */
  readonly after: string | null;
  /** For a list of one day: whether the cursor may be of another day; see {@link listDay}. Default false. */
  readonly ofAnyDay?: boolean;
}

/**
 * The day that a page continues, if the previous page was of `cursorDay`; null if the cursor is invalid. A list without
 * a date continues the day of its cursor, whichever day that is; `asked` is then today.
 */
export function listDay(asked: string, cursorDay: string, ofAnyDay: boolean): string | null {
  return ofAnyDay || cursorDay === asked ? cursorDay : null;
}
