/** The part of a list to read. */
export interface PageRequest {
  readonly limit: number;
  /** Id of the last item of the previous page; null for the first page. */
  readonly after: string | null;
  /**
   * For a list of one day: whether that item may be of an earlier day, which is then the listed day; see
   * `listDay`. Default false.
   */
  readonly orEarlier?: boolean;
}

/** A part of a long result, of any size; it may be empty. */
export interface Part<Item> {
  readonly items: readonly Item[];
  /** The start of the next part; opaque, and valid for this store only. Null after the last part. */
  readonly next: string | null;
}
