import { pruneStep } from "../retention.js";

/** Removes what has had its time, a bounded number of it. */
export function removeSome<Thing>(
  things: Map<string, Thing>,
  ended: (thing: Thing) => boolean,
): number {
  let removed = 0;
  for (const [key, thing] of things) {
    if (removed === pruneStep) break;
    if (!ended(thing)) continue;
    things.delete(key);
    removed++;
  }
  return removed;
}
