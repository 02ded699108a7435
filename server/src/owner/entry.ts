import type { Store } from "../operations/store.js";
import { businessDay } from "../rules/business-day.js";
import type { Entry } from "../rules/records.js";
import { startsOf, transferStarts } from "../rules/transitions.js";
import { businessWith, noSuch } from "./business.js";
import { OwnerError, type ServingTransition } from "./owner-error.js";

/** Calls the entry at position 1 of today's line. Throws {@link OwnerError}, for example if no entry waits. */
export async function callNext(store: Store, queueId: string, now: number): Promise<Entry> {
  const business = await businessWith(store, "queue", queueId);
  const today = businessDay(now, business.timezone);
  const entry = await store.entries.callNext(business.id, queueId, today, now);
  if (!entry) throw new OwnerError({ code: "nobody_waiting" });
  return entry;
}

/** Applies a transition to an entry. Throws {@link OwnerError} if its status does not allow it. */
export async function serveEntry(
  store: Store,
  entryId: string,
  transition: ServingTransition,
  now: number,
): Promise<Entry> {
  const business = await businessWith(store, "entry", entryId);
  const result = await store.entries.transition(business.id, entryId, transition, now);
  if (result.outcome === "changed") return result.entry;
  if (result.outcome !== "invalid_state") throw noSuch("entry");
  const { status } = result;
  throw new OwnerError({
    code: "invalid_state",
    status,
    required: startsOf(transition),
    transition,
  });
}

/**
 * Transfers the person of an entry to another queue, where they get the next token. Throws {@link OwnerError} if the
 * entry is not of today, if its status does not allow it, or if the queue gives no token.
 */
export async function transferEntry(
  store: Store,
  entryId: string,
  queueId: string,
): Promise<Entry> {
  const business = await businessWith(store, "entry", entryId);
  const result = await store.entries.transfer(business.id, entryId, queueId);
  const { outcome } = result;
  if (outcome === "changed") return result.entry;
  if (outcome === "not_found" || outcome === "not_next") throw noSuch("entry");
  if (outcome !== "invalid_state") throw new OwnerError({ code: outcome });
  const { status } = result;
  const required = transferStarts;
  throw new OwnerError({ code: outcome, status, required, transition: "transfer" });
}
