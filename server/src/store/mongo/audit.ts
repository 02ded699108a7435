import { limits } from "@queue-api/contract/limits";
import { Types } from "mongoose";
import type { AuditFilter } from "../../rules/audit.js";
import type { AuditRow } from "../../rules/records.js";
import { type AuditPlace, readPlace, writePlace } from "../audit-place.js";
import type { AuditPage } from "../port/audit.js";
import type { PageRequest } from "../port/page.js";
import { AuditSums } from "./audit-sums.js";
import { type AuditDoc, type AuditOrder, readAuditRow } from "./collections/audit.js";
import type { Database } from "./connection.js";
import type { StoreTime } from "./time.js";
import { duplicatesOf } from "./unavailable.js";

/**
 * The length of the first span that is searched for rows. Each further span is longer by a constant factor.
 */
const firstSpanMs = 600_000;
const growth = 4;

/** A step does not extend its search over a span with more rows than this. */
const reach = 10_000;

/** Rows older than the retention are searched in one step. */
const longestSpanMs = limits.auditRetentionDays * 86_400_000;

/** A span of time: the first instant is inclusive, the second exclusive. */
interface Span {
  readonly from: number;
  readonly until: number;
}

/** The audit log: rows in their own collection, and rows stored in the entry that they changed. */
export class Audit {
  readonly #db: Database;
  readonly #time: StoreTime;
  readonly #order: AuditOrder;
  readonly #sums = new AuditSums();

  constructor(db: Database, time: StoreTime, order: AuditOrder) {
    this.#db = db;
    this.#time = time;
    this.#order = order;
  }

  /** Rows that an attempt with an unknown result already stored are not stored or added again. */
  async append(rows: readonly AuditRow[]): Promise<void> {
    const docs = rows.filter(({ sum }) => sum === null).map((row) => this.#order.placed(row));
    const sums = rows.filter(({ sum }) => sum !== null);
    if (docs.length > 0) {
      await this.#db.audit.raw.insertMany(docs, { ordered: false }).catch((error) => {
        if (!duplicatesOf(error)) throw error;
      });
    }
    if (sums.length > 0) await this.#add(sums);
  }

  /**
   * Two processes that create the same sum conflict on its id. The one that fails finds the sum when it
   * retries.
   */
  async #add(sums: readonly AuditRow[]): Promise<void> {
    const writes = sums.map((row) => this.#sums.write(row, this.#order.placed(row)));
    try {
      await this.#db.audit.raw.bulkWrite(writes, { ordered: false });
    } catch (error) {
      if (!duplicatesOf(error)) throw error;
      await this.#db.audit.raw.bulkWrite(writes, { ordered: false });
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
    const found: AuditDoc[] = [];
    const now = this.#time.estimate() ?? (await this.#db.now(this.#time.expression()));
    const spans = [...spansBack(asked.at, now)];
    for (const [number, span] of spans.entries()) {
      if (number > 0 && !(await this.#isWithinReach(businessId, span))) {
        return { rows: found.map(readAuditRow), next: placeBefore(span.until) };
      }
      const missing = limit + 1 - found.length;
      const rows = await Promise.all([
        this.#ownRows(businessId, span, asked, missing),
        this.#rowsOfEntries(businessId, span, asked, missing),
      ]);
      found.push(...rows.flat().sort(newestFirst).slice(0, missing));
      if (found.length > limit) break;
    }
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const more = last !== undefined && found.length > limit;
    return {
      rows: page.map(readAuditRow),
      next: more ? writePlace({ at: last.at, mark: last._id.toHexString() }) : null,
    };
  }

  /** Whether a span has few enough rows to examine in one step, including rows that do not match. */
  async #isWithinReach(businessId: string, { from, until }: Span): Promise<boolean> {
    const at = { $gte: from, $lt: until };
    const some = { limit: reach + 1 };
    const [own, ofEntries] = await Promise.all([
      this.#db.audit.raw.countDocuments({ businessId, at }, some),
      this.#db.entries.raw.countDocuments(entriesWithAuditRows(businessId, at), some),
    ]);
    return own + ofEntries <= reach;
  }

  #ownRows(
    businessId: string,
    { from, until }: Span,
    asked: RowsAsked,
    limit: number,
  ): Promise<AuditDoc[]> {
    return this.#db.audit.raw
      .find({ businessId, ...asked, at: { $gte: from, $lt: until } })
      .sort({ at: -1, _id: -1 })
      .limit(limit)
      .toArray();
  }

  #rowsOfEntries(
    businessId: string,
    { from, until }: Span,
    asked: RowsAsked,
    limit: number,
  ): Promise<AuditDoc[]> {
    const at = { $gte: from, $lt: until };
    return this.#db.entries.raw
      .aggregate<AuditDoc>([
        { $match: entriesWithAuditRows(businessId, at) },
        { $unwind: "$audits" },
        { $replaceWith: "$audits" },
        { $match: { ...asked, at } },
        { $sort: { at: -1, _id: -1 } },
        { $limit: limit },
      ])
      .toArray();
  }
}

/** Selects the entries that contain audit rows of a span of time. */
function entriesWithAuditRows(businessId: string, at: { $gte: number; $lt: number }) {
  return {
    businessId,
    "audits.at": { $exists: true }, // required to use the partial index
    audits: { $elemMatch: { at } },
  };
}

/**
 * Divides a range into spans, latest first, with growing length. Few rows are read where they are dense, and
 * few steps are needed where they are rare.
 */
function* spansBack({ $gte: first, $lte: last }: RowsAsked["at"], now: number): Iterable<Span> {
  let until = last + 1;
  for (let length = firstSpanMs; until > first; length *= growth) {
    const back = Math.min(until, now) - length;
    const from = length > longestSpanMs ? first : Math.max(first, back);
    if (from < until) yield { from, until };
    until = from;
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

/** A text escaped for use in a regular expression. */
function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

function placeOf(cursor: string): AuditPlace<Types.ObjectId> | null {
  const place = readPlace(cursor);
  if (!place || !Types.ObjectId.isValid(place.mark)) return null;
  return { at: place.at, mark: Types.ObjectId.createFromHexString(place.mark) };
}

/** The place before which all rows are older than an instant. */
function placeBefore(until: number): string {
  return writePlace({ at: until, mark: "0".repeat(24) });
}

function newestFirst(a: AuditDoc, b: AuditDoc): number {
  return b.at - a.at || (a._id.toHexString() < b._id.toHexString() ? 1 : -1);
}
