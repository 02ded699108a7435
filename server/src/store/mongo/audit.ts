import { Types } from "mongoose";
import type { AuditFilter } from "../../rules/audit.js";
import type { AuditRow } from "../../rules/records.js";
import { type AuditPlace, readPlace, writePlace } from "../audit-place.js";
import type { AuditPage, PageRequest } from "../store.js";
import { type AuditDoc, type AuditOrder, readAuditRow } from "./collections/audit.js";
import type { Database } from "./connection.js";
import { duplicatesOf } from "./unavailable.js";

/** How far back the rows of entries are first looked for; twice as far each time there are too few. */
const firstSpanMs = 600_000;

/** A range of time: from the first instant on, before the second one. */
interface Span {
  readonly from: number;
  readonly until: number;
}

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

  async page(
    businessId: string,
    filter: AuditFilter,
    { limit, after }: PageRequest,
  ): Promise<AuditPage | "cursor_unknown"> {
    const start = after === null ? null : placeOf(after);
    if (after !== null && start === null) return "cursor_unknown";
    const asked = rowsAsked(filter, start);
    const own = await this.#db.audit.raw
      .find({ businessId, ...asked })
      .sort({ at: -1, _id: -1 })
      .limit(limit + 1)
      .toArray();
    // What is older than a page full of rows is on no page yet.
    const oldest = own.length > limit ? own.at(-1)?.at : undefined;
    const ofEntries = await this.#ofEntries(businessId, asked, oldest ?? null, limit + 1);
    const found = [...own, ...ofEntries].sort(newestFirst);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const more = last !== undefined && found.length > limit;
    return {
      rows: page.map(readAuditRow),
      next: more ? writePlace({ at: last.at, mark: last._id.toHexString() }) : null,
    };
  }

  /** The newest rows that are part of an entry, of those asked for, and no older than an instant. */
  async #ofEntries(
    businessId: string,
    asked: RowsAsked,
    oldest: number | null,
    limit: number,
  ): Promise<AuditDoc[]> {
    const span = await this.#spanOfEntries(businessId);
    if (!span) return [];
    const from = Math.max(span.from, asked.at.$gte, oldest ?? 0);
    let until = Math.min(span.until, asked.at.$lte + 1);
    const rows: AuditDoc[] = [];
    for (let length = firstSpanMs; until > from && rows.length < limit; length *= 2) {
      const since = Math.max(from, until - length);
      rows.push(...(await this.#within({ from: since, until }, businessId, asked, limit)));
      until = since;
    }
    return rows;
  }

  /** From the oldest row of a business's entries to the newest one; null when they have none. */
  async #spanOfEntries(businessId: string): Promise<Span | null> {
    const endOf = async (direction: 1 | -1) => {
      const [doc] = await this.#db.entries.raw
        .find(
          { businessId, "audits.at": { $exists: true } }, // as the partial index says it
          { projection: { "audits.at": 1 } },
        )
        .sort({ "audits.at": direction })
        .limit(1)
        .toArray();
      return (doc?.audits ?? []).map(({ at }) => at);
    };
    const [first, last] = await Promise.all([endOf(1), endOf(-1)]);
    if (first.length === 0 || last.length === 0) return null;
    return { from: Math.min(...first), until: Math.max(...last) + 1 };
  }

  #within(
    { from, until }: Span,
    businessId: string,
    asked: RowsAsked,
    limit: number,
  ): Promise<AuditDoc[]> {
    const within = { $gte: from, $lt: until };
    return this.#db.entries.raw
      .aggregate<AuditDoc>([
        {
          $match: {
            businessId,
            "audits.at": { $exists: true }, // as the partial index says it
            audits: { $elemMatch: { at: within } },
          },
        },
        { $unwind: "$audits" },
        { $replaceWith: "$audits" },
        { $match: { $and: [{ at: within }, asked] } },
        { $sort: { at: -1, _id: -1 } },
        { $limit: limit },
      ])
      .toArray();
  }
}

/** The conditions on a row. */
interface RowsAsked {
  readonly at: { readonly $gte: number; readonly $lte: number };
}

function rowsAsked(filter: AuditFilter, start: AuditPlace<Types.ObjectId> | null): RowsAsked {
  const { keyId, status, pathPrefix, from, until } = filter;
  const latest = until === null ? Number.MAX_SAFE_INTEGER : until - 1;
  return {
    at: { $gte: from ?? 0, $lte: Math.min(latest, start?.at ?? latest) },
    ...(start && { $or: [{ at: { $lt: start.at } }, { _id: { $lt: start.mark } }] }),
    ...(keyId !== null && { keyId }),
    ...(status !== null && { status: { $gte: status.first, $lte: status.last } }),
    ...(pathPrefix !== null && { path: { $regex: `^${escaped(pathPrefix)}` } }),
  };
}

/** A text as a regular expression that means nothing but the text. */
function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

function placeOf(cursor: string): AuditPlace<Types.ObjectId> | null {
  const place = readPlace(cursor);
  if (!place || !Types.ObjectId.isValid(place.mark)) return null;
  return { at: place.at, mark: Types.ObjectId.createFromHexString(place.mark) };
}

function newestFirst(a: AuditDoc, b: AuditDoc): number {
  return b.at - a.at || (a._id.toHexString() < b._id.toHexString() ? 1 : -1);
}
