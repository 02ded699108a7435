import { businessDay } from "../rules/business-day.js";
import type { Entry } from "../rules/records.js";
import { type Move, transition } from "../rules/transitions.js";
import type { Store } from "../store/store.js";
import { businessOf, noSuch } from "./business.js";
import { OwnerError } from "./owner-error.js";

/** What the business does to an entry; to cancel one is the API's. */
export type ServingMove = Exclude<Move, "cancel">;

/** Calls the person at position 1 of today. Throws {@link OwnerError} when nobody waits. */
export async function callNext(store: Store, queueId: string, now: number): Promise<Entry> {
  const business = await businessOf(store, "queue", queueId);
  const today = businessDay(now, business.timezone);
  const entry = await store.entries.callNext(business.id, queueId, today, now);
  if (!entry) throw new OwnerError("nobody is waiting in this queue today; try again later");
  return entry;
}

const participles = { call: "called", complete: "completed", "no-show": "marked as no-show" };

/** Calls, completes or marks an entry. Throws {@link OwnerError} when its state does not allow that. */
export async function serveEntry(
  store: Store,
  entryId: string,
  move: ServingMove,
  now: number,
): Promise<Entry> {
  const businessId = await store.businesses.idOf("entry", entryId);
  if (businessId === null) throw noSuch("entry");
  const result = await store.entries.move(businessId, entryId, move, now, null);
  if (result.outcome === "not_found") throw noSuch("entry");
  if (result.outcome === "invalid_state") {
    throw new OwnerError(
      `the entry is ${result.status}; only one that is ${transition(move).from} can be ${participles[move]}`,
    );
  }
  return result.entry;
}
