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
    what: "a key is released when only its lease may end",
    broken: (store) => interposed(store, { idempotency: { endLease: store.idempotency.release } }),
  },
  {
    what: "a takeover of a key counts as a claim of a free key",
    broken: (store) => interposed(store, { idempotency: { claim: withoutTakeover(store) } }),
  },
  {
    what: "entries have no unique claim",
    dropIndex: { collection: "entries", name: "claim" },
  },
];

/** A creation without its claim. */
export const withoutClaim: Mutant = {
  what: "a creation has no claim",
  broken: (store) =>
    interposed(store, {
      entries: {
        issue: (businessId, request) =>
          store.entries.issue(businessId, { ...request, claim: null }),
      },
    }),
};

/** A read that is cached forever. */
export const staleCache: Mutant = {
  what: "an entry is cached without the version of its line",
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

function withoutTakeover(store: Store): Store["idempotency"]["claim"] {
  return async (businessId, request) => {
    const claimed = await store.idempotency.claim(businessId, request);
    if (claimed.outcome !== "claimed") return claimed;
    const claim = { ...claimed.claim, claimId: request.owner };
    return { ...claimed, claim, takenOver: false };
  };
}
