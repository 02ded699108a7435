import type { Store } from "@queue-api/server";
import { interposed } from "../support/interposed.js";
import type { SceneOptions } from "./scene.js";

/** A deliberate error that the explorer must find. */
export interface Mutant extends SceneOptions {
  readonly what: string;
}

/** Errors in how an instance handles its claims. The observer has none. */
export const mutants: readonly Mutant[] = [
  {
    what: "a key is released where only its lease may end",
    broken: (store) => interposed(store, { idempotency: { endLease: store.idempotency.release } }),
  },
  {
    what: "a key that is taken over is taken for a free one",
    broken: (store) => interposed(store, { idempotency: { claim: forgettingTakeover(store) } }),
  },
  {
    what: "entries carry no unique claim",
    dropIndex: { collection: "entries", name: "claim" },
  },
];

/** A creation without its claim. */
export const withoutClaim: Mutant = {
  what: "a creation does not carry its claim",
  broken: (store) =>
    interposed(store, {
      entries: {
        issue: (businessId, request) =>
          store.entries.issue(businessId, { ...request, claim: null }),
      },
    }),
};

/** A read that is cached forever. */
export const remembering: Mutant = {
  what: "an entry is remembered without the version of its line",
  broken: (store) => {
    const known = new Map<string, ReturnType<Store["entries"]["get"]>>();
    const get: Store["entries"]["get"] = (businessId, entryId) => {
      const found = known.get(entryId) ?? store.entries.get(businessId, entryId);
      known.set(entryId, found);
      return found;
    };
    return interposed(store, { entries: { get } });
  },
};

function forgettingTakeover(store: Store): Store["idempotency"]["claim"] {
  return async (businessId, request) => {
    const claimed = await store.idempotency.claim(businessId, request);
    if (claimed.outcome !== "claimed") return claimed;
    const claim = { ...claimed.claim, claimId: request.owner };
    return { ...claimed, claim, takenOver: false };
  };
}
