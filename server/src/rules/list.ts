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
}
