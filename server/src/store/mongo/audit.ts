import { hash } from "node:crypto";
import { type Model, Types } from "mongoose";
import {
  type AuditPlace,
  auditRetentionMs,
  isAskedFor,
  readPlace,
  sumName,
  withSum,
  writePlace,
} from "../../rules/audit.js";
import type { AuditRow } from "../../rules/records.js";
import type { Part } from "../port/page.js";
import type { AuditStore } from "../port/requests.js";
import { changeOne } from "./changes.js";
import { type Database, readOne, storeAll } from "./connection.js";
import { type AuditDoc, type AuditSumDoc, readAuditRow, writeAuditRow } from "./documents.js";
import { repeatable } from "./guard.js";
import type { StoreTime } from "./time.js";

/**
 * The length of the first span that is searched for rows. Each further span is longer by a constant factor.
 */
const firstSpanMs = 600_000;
const growth = 4;

/** The number of rows that one step examines. */
const reach = 10_000;

/** A span of time: the first instant is inclusive, the second exclusive. */
interface Span {
  readonly from: number;
  readonly until: number;
}

/** The audit log: rows in their own collection, and the last rows of an entry in the entry that they changed. */
export function mongoAudit(db: Database, { now }: StoreTime): AuditStore {
  /** Rows that are appended again after an unknown result keep their places. */
  const places = new WeakMap<AuditRow, AuditDoc>();

  function placed(row: AuditRow): AuditDoc {
    const doc = places.get(row) ?? writeAuditRow(row);
    places.set(row, doc);
    return doc;
  }

  return {
    async append(rows) {
      const docs = rows.filter(({ sum }) => sum === null).map(placed);
      await storeAll(db.audit, docs);
      for (const row of rows.filter(({ sum }) => sum !== null)) await addSum(db, placed(row));
    },

    async page(businessId, filter, { limit, after }) {
      const start = after === null ? null : readPlace(after);
      if (after !== null && start === null) return "cursor_unknown";
      const until = Math.min(filter.until ?? Infinity, (start?.at ?? Infinity) + 1);
      const found: AuditDoc[] = [];
      let examined = 0;
      for (const span of spansBack(filter.from ?? 0, until, now())) {
        const rows = await rowsIn(db, businessId, span, -1, reach);
        examined += rows.length;
        found.push(...olderThan(rows, start).filter((row) => isAskedFor(row, filter)));
        if (found.length > limit) break;
        const last = rows.length === reach ? rows.at(-1) : undefined;
        if (last) return { items: found.map(readAuditRow), next: placeOf(last) };
        if (examined >= reach)
          return { items: found.map(readAuditRow), next: `${span.from - 1}.0` };
      }
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      return { items: page.map(readAuditRow), next: last ? placeOf(last) : null };
    },
  };
}

/** Adds a sum to the one with the same name, of any process. */
async function addSum(db: Database, { _id: place, ...row }: AuditDoc): Promise<void> {
  const audit = db.audit as Model<unknown> as Model<AuditSumDoc>;
  const _id = Types.ObjectId.createFromHexString(hash("sha256", sumName(row), "hex").slice(0, 24));
  const scope = { _id, businessId: row.businessId };
  const changeId = place.toHexString();
  const find = () => readOne(audit, scope);
  const add = () =>
    changeOne<AuditSumDoc, "added">(audit, scope, find, (kept) =>
      kept.changes.includes(changeId)
        ? { result: "added" }
        : { result: "added", update: { $set: withSum(readAuditRow(kept), row) }, changeId },
    );
  if ((await add()) !== null) return;
  await storeAll(audit, [{ _id, ...row, revision: 0, changes: [changeId] }]);
  await add(); // if another process stored it first
}

/** Rows of a span of time, in both places: the oldest (1) or the newest (-1) first. */
async function rowsIn(
  { audit, entries }: Database,
  businessId: string,
  { from, until }: Span,
  order: 1 | -1,
  limit: number,
): Promise<AuditDoc[]> {
  const at = { $gte: from, $lt: until };
  const sorted = [{ $sort: { at: order, _id: order } }, { $limit: limit }];
  const rows = await repeatable(() =>
    Promise.all([
      audit.aggregate<AuditDoc>([{ $match: { businessId, at } }, ...sorted]),
      entries.aggregate<AuditDoc>([
        // The first condition is required to use the partial index.
        { $match: { businessId, "audits.at": { $exists: true }, audits: { $elemMatch: { at } } } },
        { $unwind: "$audits" },
        { $replaceWith: "$audits" },
        { $match: { at } },
        ...sorted,
      ]),
    ]),
  );
  // A row that moves from its entry to the log may be in both.
  const byId = new Map(rows.flat().map((row) => [row._id.toHexString(), row]));
  return [...byId.values()]
    .sort((a, b) => order * (a.at - b.at || (a._id.toHexString() < b._id.toHexString() ? -1 : 1)))
    .slice(0, limit);
}

/**
 * Divides a range into spans, latest first, with growing length. Few rows are read where they are dense, and
 * few steps are needed where they are rare.
 */
function* spansBack(first: number, end: number, now: number): Iterable<Span> {
  let until = end;
  for (let length = firstSpanMs; until > first; length *= growth) {
    const back = Math.min(until, now) - length;
    // Rows older than the retention are searched in one step.
    const from = length > auditRetentionMs ? first : Math.max(first, back);
    if (from < until) yield { from, until };
    until = from;
  }
}

/** Those of rows, newest first, that are older than a place. */
function olderThan(rows: readonly AuditDoc[], place: AuditPlace<string> | null) {
  if (place === null) return rows;
  const marked = rows.findIndex((row) => row.at === place.at && markOf(row) === place.mark);
  return rows.filter(({ at }, index) => at < place.at || (at === place.at && index > marked));
}

function placeOf(row: AuditDoc): string {
  return writePlace({ at: row.at, mark: markOf(row) });
}

/** A hash, because ids count the documents that a process makes for all businesses. */
function markOf({ _id }: AuditDoc): string {
  return hash("sha256", _id.toHexString(), "hex").slice(0, 24);
}

/** The time of the rows in one part of the whole log. */
const partMs = 3_600_000;

/** Reads the log of a business, oldest rows first: those of the first hour that has rows. */
export async function auditInParts(
  db: Database,
  businessId: string,
  after: string | null,
): Promise<Part<AuditRow>> {
  const ever = { from: Number(after ?? 0), until: Infinity };
  const [first] = await rowsIn(db, businessId, ever, 1, 1);
  if (!first) return { items: [], next: null };
  const until = first.at + partMs;
  const rows = await rowsIn(db, businessId, { from: first.at, until }, 1, Number.MAX_SAFE_INTEGER);
  return { items: rows.map(readAuditRow), next: `${until}` };
}
