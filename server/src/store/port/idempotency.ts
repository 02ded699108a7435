import type { Claim, ClaimOutcome, ClaimRequest } from "../../rules/idempotency.js";

/** The claims of `Idempotency-Key` values, and the receipts for replays. */
export interface IdempotencyStore {
  /** Decides with `decideClaim` and stores the claim. */
  claim(businessId: string, request: ClaimRequest): Promise<ClaimOutcome>;
  /** Frees a key whose request was refused. Does nothing if another request holds the claim. */
  release(businessId: string, claim: Claim): Promise<void>;
  /**
   * Ends a lease, so that the next request can take the key over at once. Used after a failure that leaves
   * unknown whether the token was issued. The claim id remains, so that an issued token is found. Does
   * nothing if another request holds the claim or it has a receipt.
   */
  endLease(businessId: string, claim: Claim): Promise<void>;
}
