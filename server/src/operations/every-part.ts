import { setImmediate } from "node:timers/promises";
import type { Part } from "../rules/list.js";

/**
 * Reads a long result to its end, part by part. Other work of the event loop runs between two parts. If the caller
 * leaves the loop, reading stops.
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
