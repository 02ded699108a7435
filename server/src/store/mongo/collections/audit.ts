import { Schema, Types } from "mongoose";
import type { AuditRow } from "../../../rules/records.js";

export interface AuditDoc extends AuditRow {
  readonly _id: Types.ObjectId;
  /** Its place in the log: the row's time, but never before that of a row which this process kept earlier. */
  readonly order: number;
}

export const auditSchema = new Schema<AuditDoc>(
  {
    _id: Schema.Types.ObjectId,
    order: Number,
    businessId: String,
    keyId: String,
    at: Number,
    method: String,
    path: String,
    status: Number,
    ip: String,
    requestId: String,
  },
  { collection: "audit" },
)
  .index({ businessId: 1, at: 1, _id: 1 }, { name: "log" })
  .index({ at: 1 }, { name: "time" });

export function readAuditRow(doc: AuditDoc): AuditRow {
  const { businessId, keyId, at, method, path, status, ip, requestId } = doc;
  return { businessId, keyId, at, method, path, status, ip, requestId };
}

/** Gives rows their places in the log. A row that is kept again, after an unknown end, keeps its place. */
export class AuditOrder {
  readonly #places = new WeakMap<AuditRow, AuditDoc>();
  #last = 0;

  placed(row: AuditRow): AuditDoc {
    const known = this.#places.get(row);
    if (known) return known;
    this.#last = Math.max(this.#last, row.at);
    const doc = { _id: new Types.ObjectId(), order: this.#last, ...row };
    this.#places.set(row, doc);
    return doc;
  }
}
