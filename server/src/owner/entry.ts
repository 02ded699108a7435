import { businessDay } from "../rules/business-day.js";
import type { Entry } from "../rules/records.js";
import { type Move, startsOf } from "../rules/transitions.js";
import type { Store } from "../store/store.js";
import { businessOf, noSuch } from "./business.js";
import { OwnerError } from "./owner-error.js";

/** What the business does to an entry at its counters. */
export type ServingMove = Extract<Move, "call" | "complete" | "no-show" | "requeue" | "undo">;

/** Calls the entry at position 1 of today's line. Throws {@link OwnerError}, for example if no entry waits. */
export async function callNext(store: Store, queueId: string, now: number): Promise<Entry> {
  const business = await businessOf(store, "queue", queueId);
  const today = businessDay(now, business.timezone);
  const entry = await store.entries.callNext(business.id, queueId, today, now);
  if (!entry) throw new OwnerError({ code: "nobody_waiting" });
  return entry;
}

/** Calls, completes, marks or puts back an entry. Throws {@link OwnerError} when its state does not allow that. */
export async function serveEntry(
  store: Store,
  entryId: string,
  move: ServingMove,
  now: number,
): Promise<Entry> {
  const businessId = await store.businesses.idOf("entry", entryId);
  if (businessId === null) throw noSuch("entry");
  const result = await store.entries.move(businessId, entryId, move, now);
  if (result.outcome === "not_found") throw noSuch("entry");
  if (result.outcome === "invalid_state") {
    const { status } = result;
    throw new OwnerError({ code: "invalid_state", status, required: startsOf(move), move });
  }
  return result.entry;
}
