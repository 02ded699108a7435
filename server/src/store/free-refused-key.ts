import type { Claim } from "../rules/idempotency.js";
import type { Store } from "./store.js";

/**
 * Lets go of the key of a request that was refused. A key that was taken over keeps its claim id: what the
 * request before this one sent to a database may still be on its way, and must be found when it is there.
 */
export function freeRefusedKey(
  store: Store,
  businessId: string,
  { claim, takenOver }: { readonly claim: Claim; readonly takenOver: boolean },
): Promise<void> {
  return takenOver
    ? store.endIdempotencyLease(businessId, claim)
    : store.releaseIdempotencyKey(businessId, claim);
}
