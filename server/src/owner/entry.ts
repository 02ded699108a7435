import { businessDay } from "../rules/business-day.js";
import type { Entry } from "../rules/records.js";
import { type Move, startsOf } from "../rules/transitions.js";
import type { ChangeOptions, MoveOutcome } from "../store/port/entries.js";
import type { Store } from "../store/store.js";
import { businessOf, noSuch } from "./business.js";
import { OwnerError, type ServingMove } from "./owner-error.js";

/** Calls the entry at position 1 of today's line. Throws {@link OwnerError}, for example if no entry waits. */
export async function callNext(store: Store, queueId: string, now: number): Promise<Entry> {
  const business = await businessOf(store, "queue", queueId);
  const today = businessDay(now, business.timezone);
  const entry = await store.entries.callNext(business.id, queueId, today, now);
  if (!entry) throw new OwnerError({ code: "nobody_waiting" });
  return entry;
}

/** What staff can do to an entry. `next` calls the person only if they are at position 1. */
export type ServingAct = Move | "next" | "priority" | "no-priority";

export type ServingOutcome = MoveOutcome | { readonly outcome: "not_next" };

/** Carries out an act of the staff on an entry. */
export function serve(
  store: Pick<Store, "entries">,
  businessId: string,
  entryId: string,
  act: ServingAct,
  now: number,
  options: ChangeOptions = {},
): Promise<ServingOutcome> {
  const { entries } = store;
  switch (act) {
    case "priority":
    case "no-priority":
      return entries.setPriority(businessId, entryId, act === "priority", options);
    case "next":
      return entries.callIfNext(businessId, entryId, now, options);
    default:
      return entries.move(businessId, entryId, act, now, options);
  }
}

/** Applies a move to an entry. Throws {@link OwnerError} if its status does not allow the move. */
export async function serveEntry(
  store: Store,
  entryId: string,
  move: ServingMove,
  now: number,
): Promise<Entry> {
  const businessId = await store.businesses.idOf("entry", entryId);
  if (businessId === null) throw noSuch("entry");
  const result = await serve(store, businessId, entryId, move, now);
  if (result.outcome === "moved") return result.entry;
  if (result.outcome !== "invalid_state") throw noSuch("entry");
  const { status } = result;
  throw new OwnerError({ code: "invalid_state", status, required: startsOf(move), move });
}
