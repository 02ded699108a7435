import type { Claim, ClaimOutcome, ClaimRequest } from "../../rules/idempotency.js";

/** Who holds which `Idempotency-Key`, and the answers that are kept for a replay. */
export interface IdempotencyStore {
  /** Decides by `decideClaim` and keeps the claim. */
  claim(businessId: string, request: ClaimRequest): Promise<ClaimOutcome>;
  /** Frees a key whose request was refused. Does nothing when another request holds the claim. */
  release(businessId: string, claim: Claim): Promise<void>;
  /**
   * Lets the next request take a key over at once, after a failure that leaves open whether the token
   * was issued. The claim id stays, so that a token which was issued is found. Does nothing when
   * another request holds the claim, or it has an answer.
   */
  endLease(businessId: string, claim: Claim): Promise<void>;
}
