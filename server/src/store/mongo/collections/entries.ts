import { Schema } from "mongoose";
import type { Entry } from "../../../rules/records.js";
import { blockOf } from "../line.js";
import type { AuditDoc } from "./audit.js";
import type { EarlierAnswer } from "./receipts.js";

/** Fields that entries of earlier versions lack. */
type Late = "revision" | "calls" | "counter" | "transferredTo" | "transferredFrom";

/**
 * An entry. It is the commit point of its creation and of each move: it contains the claim, the receipt and
 * the audit rows, so that one write stores all of them or none.
 */
export interface EntryDoc extends Omit<Entry, "id" | Late>, Partial<Pick<Entry, Late>> {
  readonly _id: string;
  /** The block of token numbers that contains it; see `blockOf`. */
  readonly block: string;
  /** The claim of the idempotency key that created it; unique. */
  readonly claimId?: string;
  /** The receipt of its creation, if it may be replayed. */
  readonly receipt?: string;
  /** The receipt as earlier versions stored it. */
  readonly answer?: EarlierAnswer;
  /** The audit rows of the requests that changed it. */
  readonly audits?: readonly AuditDoc[];
  /** The second entry of a change that was committed here, until it is written; see `Outbox`. */
  readonly outbox?: EntryDoc;
}

export const entrySchema = new Schema<EntryDoc>(
  {
    _id: String,
    businessId: String,
    queueId: String,
    date: String,
    block: String,
    tokenSeries: String,
    tokenNumber: Number,
    status: String,
    priority: Boolean,
    serviceId: String,
    workMinutes: Number,
    customerName: String,
    customerPhone: String,
    issuedAt: Number,
    startedAt: Number,
    completedAt: Number,
    canceledAt: Number,
    revision: Number,
    calls: Number,
    counter: String,
    transferredTo: String,
    transferredFrom: String,
    claimId: String,
    receipt: String,
    answer: Schema.Types.Mixed,
    audits: [Schema.Types.Mixed],
    outbox: Schema.Types.Mixed,
  },
  { collection: "entries" },
)
  .index({ businessId: 1, queueId: 1, date: 1, tokenNumber: 1 }, { name: "number", unique: true })
  .index({ businessId: 1, queueId: 1, date: 1, status: 1, tokenNumber: 1 }, { name: "status" })
  .index(
    { businessId: 1, block: 1 },
    { name: "waiting", partialFilterExpression: { status: "WAITING" } },
  )
  .index(
    { businessId: 1, claimId: 1 },
    { name: "claim", unique: true, partialFilterExpression: { claimId: { $exists: true } } },
  )
  .index(
    { businessId: 1, "audits.at": 1 },
    { name: "log", partialFilterExpression: { "audits.at": { $exists: true } } },
  )
  .index(
    { "audits.at": 1 },
    { name: "auditTime", partialFilterExpression: { "audits.at": { $exists: true } } },
  )
  .index(
    { businessId: 1, "outbox.queueId": 1, "outbox.date": 1 },
    { name: "outbox", partialFilterExpression: { "outbox.queueId": { $exists: true } } },
  );

/** The fields that no reader of entries needs. */
export const hidden = { claimId: 0, receipt: 0, answer: 0, audits: 0, outbox: 0 } as const;

export function writeEntry(entry: Entry): EntryDoc {
  const { id: _id, ...rest } = entry;
  return { _id, ...rest, block: blockOf(entry) };
}

/** The fields that a change of an entry may set. */
export function stateOf(entry: Entry) {
  const { status, priority, startedAt, completedAt, canceledAt } = entry;
  const { revision, calls, counter, transferredTo } = entry;
  return {
    ...{ status, priority, startedAt, completedAt, canceledAt },
    ...{ revision, calls, counter, transferredTo },
  };
}

/** A filter for an entry that has not changed since it was read. */
export function unchanged({ id: _id, businessId, status, priority, revision }: Entry) {
  // Entries of earlier versions have no revision, and instances of those versions do not add one.
  const sameRevision = revision === 0 ? { $not: { $gt: 0 } } : revision;
  return { _id, businessId, status, priority, revision: sameRevision };
}

export function readEntry(doc: EntryDoc): Entry {
  return {
    id: doc._id,
    businessId: doc.businessId,
    queueId: doc.queueId,
    date: doc.date,
    tokenSeries: doc.tokenSeries,
    tokenNumber: doc.tokenNumber,
    status: doc.status,
    priority: doc.priority,
    serviceId: doc.serviceId,
    workMinutes: doc.workMinutes,
    customerName: doc.customerName,
    customerPhone: doc.customerPhone,
    issuedAt: doc.issuedAt,
    startedAt: doc.startedAt,
    completedAt: doc.completedAt,
    canceledAt: doc.canceledAt,
    revision: doc.revision ?? 0,
    calls: doc.calls ?? 0,
    counter: doc.counter ?? null,
    transferredTo: doc.transferredTo ?? null,
    transferredFrom: doc.transferredFrom ?? null,
  };
}
