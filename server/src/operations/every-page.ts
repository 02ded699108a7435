import { setImmediate } from "node:timers/promises";
import type { Page } from "../rules/list.js";

/**
 * Reads a list to its end, page by page. Other work of the event loop runs between two pages. If the caller leaves the
 * loop, reading stops.
 */
export async function* everyPage<Item>(
  read: (after: string | null) => Promise<Page<Item>>,
): AsyncGenerator<readonly Item[], void, undefined> {
  for (let after: string | null = null; ; ) {
    const { items, nextCursor }: Page<Item> = await read(after);
    yield items;
    if (nextCursor === null) return;
    after = nextCursor;
    await setImmediate();
  }
}
