import type { AuditRow } from "../../rules/records.js";
import { type AuditDoc, type AuditOrder, readAuditRow } from "./collections/audit.js";
import type { EntryDoc } from "./collections/entries.js";
import type { Database } from "./connection.js";
import { duplicatesOf } from "./unavailable.js";

/** The audit log: rows of their own, and those that are part of the entry they tell of. */
export class Audit {
  readonly #db: Database;
  readonly #order: AuditOrder;

  constructor(db: Database, order: AuditOrder) {
    this.#db = db;
    this.#order = order;
  }

  /** A row that was kept by an attempt whose end was not known is not kept again. */
  async append(rows: readonly AuditRow[]): Promise<void> {
    if (rows.length === 0) return;
    const docs = rows.map((row) => this.#order.placed(row));
    try {
      await this.#db.audit.raw.insertMany(docs, { ordered: false });
    } catch (error) {
      if (!duplicatesOf(error)) throw error;
    }
  }

  async log(businessId: string, limit: number): Promise<AuditRow[]> {
    const [rows, entries] = await Promise.all([
      this.#db.audit.raw.find({ businessId }).sort({ order: -1, _id: -1 }).limit(limit).toArray(),
      this.#db.entries.raw
        .find({ businessId, "audits.order": { $exists: true } }, { projection: { audits: 1 } })
        .sort({ "audits.order": -1, "audits._id": -1 })
        .limit(limit)
        .toArray(),
    ]);
    return [...rows, ...auditsOf(entries)].sort(newestFirst).slice(0, limit).map(readAuditRow);
  }
}

/** A document is sorted by its newest row; its other rows may be older than those of the next one. */
function auditsOf(entries: readonly EntryDoc[]): AuditDoc[] {
  return entries.flatMap(({ audits }) => audits ?? []);
}

function newestFirst(a: AuditDoc, b: AuditDoc): number {
  return b.order - a.order || (a._id.toHexString() < b._id.toHexString() ? 1 : -1);
}
