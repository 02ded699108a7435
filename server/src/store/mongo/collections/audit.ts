import { Schema, Types } from "mongoose";
import type { AuditRow } from "../../../rules/records.js";

export interface AuditDoc extends Omit<AuditRow, "sum" | "account"> {
  readonly _id: Types.ObjectId;
  /**
   * The row's time, or the order of the previous row of this process if that is later. Only earlier versions
   * of this program read it, when they copy a database.
   */
  readonly order: number;
  /** Absent for a request with a key. */
  readonly account?: string;
  /** For a sum: the time of its last request, and how many requests each process has added. */
  readonly lastAt?: number;
  readonly by?: Readonly<Record<string, number>>;
}

export const auditSchema = new Schema<AuditDoc>(
  {
    _id: Schema.Types.ObjectId,
    order: Number,
    businessId: String,
    keyId: String,
    account: String,
    at: Number,
    method: String,
    path: String,
    status: Number,
    ip: String,
    requestId: String,
    lastAt: Number,
    by: Schema.Types.Mixed,
  },
  { collection: "audit" },
)
  .index({ businessId: 1, at: 1, _id: 1 }, { name: "log" })
  .index({ at: 1 }, { name: "time" });

export function readAuditRow(doc: AuditDoc): AuditRow {
  const {
    businessId,
    keyId,
    account = null,
    at,
    method,
    path,
    status,
    ip,
    requestId,
    lastAt = at,
    by,
  } = doc;
  const count = Object.values(by ?? {}).reduce((sum, added) => sum + added, 0);
  const sum = by ? { count, lastAt } : null;
  return { businessId, keyId, account, at, method, path, status, ip, requestId, sum };
}

/** A row as a document without its place. `addedBy` is the field of a sum's count. */
export function writeAuditRow({ sum, account, ...row }: AuditRow, addedBy: string) {
  const by = account === null ? {} : { account };
  return { ...row, ...by, ...(sum && { lastAt: sum.lastAt, by: { [addedBy]: sum.count } }) };
}

/**
 * Assigns rows their places in the log. A row that is stored again after an unknown result keeps its place.
 */
export class AuditOrder {
  readonly #places = new WeakMap<AuditRow, AuditDoc>();
  #last = 0;

  placed(row: AuditRow): AuditDoc {
    const known = this.#places.get(row);
    if (known) return known;
    this.#last = Math.max(this.#last, row.at);
    const _id = new Types.ObjectId();
    const doc = { _id, order: this.#last, ...writeAuditRow(row, _id.toHexString()) };
    this.#places.set(row, doc);
    return doc;
  }
}
