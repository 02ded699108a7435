/** A page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The place where the next page begins; null on the last page. */
  readonly nextCursor: string | null;
}

/** The part of a list to read. */
export interface PageRequest {
  readonly limit: number;
  /** The `nextCursor` of the previous page; null for the first page. */
  readonly after: string | null;
  /** For a list of one day: whether the cursor may be of an earlier day; see {@link listDay}. Default false. */
  readonly orEarlier?: boolean;
}

/** A part of a long result, of any size; it may be empty. */
export interface Part<Item> {
  readonly items: readonly Item[];
  /** The start of the next part; opaque. Null after the last part. */
  readonly next: string | null;
}

/**
 * The day that a page continues, if the previous page was of `cursorDay`; null if the cursor is invalid. A list without
 * a date continues the day on which it began, even after midnight; `asked` is then today.
 */
export function listDay(asked: string, cursorDay: string, orEarlier: boolean): string | null {
  if (cursorDay === asked) return asked;
  return orEarlier && cursorDay < asked ? cursorDay : null;
}
