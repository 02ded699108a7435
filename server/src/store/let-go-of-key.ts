import type { Claim } from "../rules/idempotency.js";
import type { Store } from "./store.js";

/**
 * Lets go of the key of a request that was refused. A key that was taken over keeps its claim id: what the
 * request before this one sent to a database may still be on its way, and must be found when it is there.
 */
export function letGoAfterRefusal(
  store: Store,
  businessId: string,
  { claim, takenOver }: { readonly claim: Claim; readonly takenOver: boolean },
): Promise<void> {
  return takenOver
    ? store.endIdempotencyLease(businessId, claim)
    : store.releaseIdempotencyKey(businessId, claim);
}

/**
 * Lets go of the key of a request that failed, and fails like it. Nobody knows whether the creation
 * happened, so only the lease ends: a retry takes the claim over, and finds what was created or creates it.
 */
export async function letGoAfterFailure(
  store: Store,
  businessId: string,
  claim: Claim,
  failure: unknown,
): Promise<never> {
  try {
    await store.endIdempotencyLease(businessId, claim);
  } catch (second) {
    const message = "a creation failed, and so did letting go of its key";
    throw new AggregateError([failure, second], message);
  }
  throw failure;
}
