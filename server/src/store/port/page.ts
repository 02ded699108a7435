import { setImmediate } from "node:timers/promises";

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

/** A page of a list; `more` is true if another page follows. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly more: boolean;
}

/** A part of a long result, of any size; it may be empty. */
export interface Part<Item> {
  readonly items: readonly Item[];
  /** The start of the next part; opaque, and valid for this store only. Null after the last part. */
  readonly next: string | null;
}

/**
 * Reads a long result to its end, part by part. Other work of the event loop runs between two parts. If the
 * caller leaves the loop, reading stops.
 */
export async function* everyPart<Item>(
  read: (after: string | null) => Promise<Part<Item>>,
): AsyncGenerator<readonly Item[], void, undefined> {
  for (let after: string | null = null; ; ) {
    const { items, next }: Part<Item> = await read(after);
    yield items;
    if (next === null) return;
    after = next;
    await setImmediate();
  }
}
