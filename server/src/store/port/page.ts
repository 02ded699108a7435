/** Which part of a list to read. */
export interface PageRequest {
  readonly limit: number;
  /** Id of the last item of the page before; null for the first page. */
  readonly after: string | null;
  /** Of a day's list: whether that item may be of an earlier day, which is then the day listed; see `listDay`. Default false. */
  readonly orEarlier?: boolean;
}

/** A part of something long, in no particular size; it may be empty. */
export interface Part<Item> {
  readonly items: readonly Item[];
  /** Where the next part begins; opaque, and good for this store only. Null after the last part. */
  readonly next: string | null;
}
