import { Schema } from "mongoose";
import type { IdempotencyRecord } from "../../../rules/records.js";
import { type EarlierAnswer, readReceiptOf } from "./receipts.js";

export interface IdempotencyDoc extends IdempotencyRecord {
  /** The business id and the key. */
  readonly _id: string;
  readonly businessId: string;
  /** The attempt that holds the lease; one owner may make several attempts. */
  readonly attempt: string;
  /** The receipt as earlier versions stored it. */
  readonly answer?: EarlierAnswer | null;
}

export const idempotencySchema = new Schema<IdempotencyDoc>(
  {
    _id: String,
    businessId: String,
    key: String,
    fingerprint: String,
    claimId: String,
    owner: String,
    attempt: String,
    leaseUntil: Number,
    receipt: String,
    answer: Schema.Types.Mixed,
    keptUntil: Number,
  },
  { collection: "idempotency" },
)
  .index({ businessId: 1 }, { name: "business" })
  .index({ keptUntil: 1 }, { name: "end" });

export function idempotencyId(businessId: string, key: string): string {
  return `${businessId}:${key}`;
}

/** The record in a document. */
export function readIdempotency(doc: IdempotencyDoc): IdempotencyRecord {
  const { key, fingerprint, claimId, owner, leaseUntil, keptUntil } = doc;
  return { key, fingerprint, claimId, owner, leaseUntil, receipt: readReceiptOf(doc), keptUntil };
}
