import {
  type Claim,
  type ClaimOutcome,
  type ClaimRequest,
  decideClaim,
  keptUntil,
} from "../../rules/idempotency.js";
import type { Clock } from "../../rules/ports.js";
import type { IdempotencyRecord } from "../../rules/records.js";
import type { Connection } from "./connection.js";

type RecordRow = [
  fingerprint: string,
  claimId: string,
  owner: string,
  leaseUntil: number,
  receipt: string | null,
  keptUntil: number,
];

/** The records of Idempotency-Keys. */
export function prepareIdempotency(db: Connection, clock: Clock, expiry: Clock) {
  const findRecord = db.query<RecordRow>(`
    SELECT json_array(fingerprint, claim_id, owner, lease_until, receipt, kept_until)
    FROM idempotency WHERE business_id = ? AND key = ?`);
  const keep = db.command(`
    INSERT INTO idempotency
      (business_id, key, fingerprint, claim_id, owner, lease_until, kept_until)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET
      fingerprint = excluded.fingerprint, claim_id = excluded.claim_id, owner = excluded.owner,
      lease_until = excluded.lease_until, kept_until = excluded.kept_until,
      receipt = NULL`);
  const release = db.command(`
    DELETE FROM idempotency
    WHERE business_id = ? AND key = ? AND owner = ? AND receipt IS NULL`);
  const endLease = db.command(`
    UPDATE idempotency SET lease_until = 0
    WHERE business_id = ? AND key = ? AND owner = ? AND receipt IS NULL`);
  const finish = db.command(`
    UPDATE idempotency
    SET receipt = ?, kept_until = ?
    WHERE business_id = ? AND key = ? AND claim_id = ?`);

  function find(businessId: string, key: string): IdempotencyRecord | null {
    const row = findRecord(businessId, key);
    if (!row) return null;
    const [fingerprint, claimId, owner, leaseUntil, receipt, keptUntil] = row;
    return { key, fingerprint, claimId, owner, leaseUntil, receipt, keptUntil };
  }

  return {
    find,

    claim(businessId: string, request: ClaimRequest): ClaimOutcome {
      const found = find(businessId, request.key);
      const { outcome, record } = decideClaim(request, found, clock(), expiry());
      if (record) {
        const { key, fingerprint, claimId, owner, leaseUntil, keptUntil } = record;
        keep(businessId, key, fingerprint, claimId, owner, leaseUntil, keptUntil);
      }
      return outcome;
    },

    release(businessId: string, claim: Claim): void {
      release(businessId, claim.key, claim.owner);
    },

    endLease(businessId: string, claim: Claim): void {
      endLease(businessId, claim.key, claim.owner);
    },

    /**
     * Stores the receipt of what a claim created, even if another request holds the lease: a claim has only
     * one receipt.
     */
    finish(businessId: string, claim: Claim, receipt: string): void {
      finish(receipt, keptUntil(clock()), businessId, claim.key, claim.claimId);
    },
  };
}

export type Idempotency = ReturnType<typeof prepareIdempotency>;
