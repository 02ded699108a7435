import { limits } from "@queue-api/contract/limits";
import type { mongo } from "mongoose";
import type { AuditRow } from "../../rules/records.js";
import type { Kept, Kind } from "../kept.js";
import type { Part } from "../port/page.js";
import { readAppointment } from "./collections/appointments.js";
import { type AuditDoc, readAuditRow } from "./collections/audit.js";
import { readBusiness } from "./collections/businesses.js";
import { readEntry } from "./collections/entries.js";
import { type IdempotencyDoc, readIdempotency } from "./collections/idempotency.js";
import { readKeyInUse } from "./collections/keys.js";
import { readOwner } from "./collections/owners.js";
import { readQueue } from "./collections/queues.js";
import { readReceiptOf } from "./collections/receipts.js";
import { readService } from "./collections/services.js";
import type { Database } from "./connection.js";
import type { StoreTime } from "./time.js";

const step = 1_000;

/** Reads each kind to its end. */
type Readings = { readonly [K in Kind]: () => AsyncGenerator<readonly Kept[K][], void> };

/** Dumps whole collections, each with a reading that stays open between two parts. */
export class Dumps {
  readonly #readings: Readings;
  readonly #open = new Map<Kind, AsyncGenerator<unknown, void>>();

  constructor(db: Database, time: StoreTime) {
    this.#readings = readings(db, time);
  }

  async read<K extends Kind>(kind: K, after: string | null): Promise<Part<Kept[K]>> {
    const reading = after === null ? await this.#begin(kind) : this.#open.get(kind);
    if (!reading) throw new Error(`no dump of ${kind} is open`);
    const part = await (reading as AsyncGenerator<readonly Kept[K][], void>).next();
    if (!part.done) return { items: part.value, next: kind };
    this.#open.delete(kind);
    return { items: [], next: null };
  }

  async #begin(kind: Kind): Promise<AsyncGenerator<unknown, void>> {
    await this.#open.get(kind)?.return();
    const begun = this.#readings[kind]();
    this.#open.set(kind, begun);
    return begun;
  }
}

function readings(db: Database, time: StoreTime): Readings {
  return {
    businesses: () => {
      const listed = { slug: { $exists: true } };
      const docs = db.businesses.raw.find(listed).sort({ addedAt: 1, place: 1 });
      return inSteps(docs, readBusiness);
    },
    services: () => inSteps(db.services.raw.find().sort({ businessId: 1, place: 1 }), readService),
    queues: () => inSteps(db.queues.raw.find().sort({ businessId: 1, place: 1 }), readQueue),
    keys: () => inSteps(db.keys.raw.find(), readKeyInUse),
    owners: () => inSteps(db.owners.raw.find(), (doc) => ({ ...readOwner(doc), link: doc.link })),
    entries: () =>
      inSteps(db.entries.raw.find(), (doc) => ({
        ...readEntry(doc),
        claimId: doc.claimId ?? null,
      })),
    appointments: () => inSteps(db.appointments.raw.find(), readAppointment),
    idempotency: () => withReceipts(db, db.idempotency.raw.find().sort({ businessId: 1 })),
    audit: () => auditLog(db, time),
  };
}

/** The number of audit rows that one command may return, apart from rows of one millisecond. */
const mostAuditRows = 2_000;

/** The number of parts into which a span with more rows is divided. */
const parts = 8;

/** The number of rows in a span before it is divided, if they are spread evenly. */
const rowsInSpan = 10_000;

const retentionMs = limits.auditRetentionDays * 86_400_000;

/** Later than any row. */
const endOfTime = Number.MAX_SAFE_INTEGER;

/** A span of time: the first instant is inclusive, the second exclusive. */
interface Span {
  readonly from: number;
  readonly until: number;
}

/**
 * The audit log in order. The database does not sort it: with many millions of rows, the first one would come
 * after the time limit of a command. Instead each command reads a span of time by an index. The first span
 * ends before the time that rows are kept for, and the last one begins after the present: both are usually
 * empty.
 */
async function* auditLog(db: Database, time: StoreTime): AsyncGenerator<readonly AuditRow[], void> {
  const now = await db.now(time.expression());
  const [own, entries] = await Promise.all([
    db.audit.raw.estimatedDocumentCount(),
    db.entries.raw.estimatedDocumentCount(),
  ]);
  const length = Math.ceil((retentionMs * rowsInSpan) / Math.max(1, own + entries));
  const start = Math.max(1, now - 2 * retentionMs);
  yield* auditRowsOf(db, { from: 0, until: start });
  let from = start;
  for (; from <= now; from += length) yield* auditRowsOf(db, { from, until: from + length });
  yield* auditRowsOf(db, { from, until: endOfTime });
}

/** The rows of a span in order, read in as many steps as their number needs. */
async function* auditRowsOf(
  db: Database,
  { from, until }: Span,
): AsyncGenerator<readonly AuditRow[], void> {
  const docs = await auditRowsIn(db, { from, until });
  if (docs === null) {
    const length = Math.ceil((until - from) / parts);
    for (let start = from; start < until; start += length) {
      yield* auditRowsOf(db, { from: start, until: Math.min(start + length, until) });
    }
  } else if (docs.length > 0) yield docs.sort(byTime).map(readAuditRow);
}

/** The rows of a span, in their own collection and in entries; null if they are too many for one step. */
async function auditRowsIn(db: Database, { from, until }: Span): Promise<AuditDoc[] | null> {
  const at = { $gte: from, $lt: until };
  const limit = until - from > 1 ? mostAuditRows + 1 : 0; // 0 is no limit
  const [own, entries] = await Promise.all([
    db.audit.raw.find({ at }).limit(limit).toArray(),
    db.entries.raw
      .find(
        { "audits.at": { $exists: true }, audits: { $elemMatch: { at } } }, // uses the partial index
        { projection: { audits: 1 } },
      )
      .limit(limit)
      .toArray(),
  ]);
  const ofEntries = entries.flatMap(({ audits = [] }) =>
    audits.filter((row) => row.at >= from && row.at < until),
  );
  const docs = [...own, ...ofEntries];
  return limit > 0 && docs.length > mostAuditRows ? null : docs;
}

/** The order in which pages of the log show rows. */
function byTime(a: AuditDoc, b: AuditDoc): number {
  return a.at - b.at || (a._id.toHexString() < b._id.toHexString() ? -1 : 1);
}

/** Records with the receipts that only entries contain. Records of one business must come together. */
async function* withReceipts(
  db: Database,
  docs: mongo.AbstractCursor<IdempotencyDoc>,
): AsyncGenerator<readonly Kept["idempotency"][], void> {
  const steps = inSteps(docs, (doc) => ({ businessId: doc.businessId, ...readIdempotency(doc) }));
  for await (const records of steps) {
    const receipts = new Map<string, string | null>();
    for (const businessId of new Set(records.map((record) => record.businessId))) {
      const claims = records
        .filter((record) => record.businessId === businessId && record.receipt === null)
        .map(({ claimId }) => claimId);
      const created = db.entries.raw.find({ businessId, claimId: { $in: claims } });
      for (const doc of await created.toArray())
        receipts.set(doc.claimId ?? "", readReceiptOf(doc));
    }
    yield records.map((record) => ({
      ...record,
      receipt: record.receipt ?? receipts.get(record.claimId) ?? null,
    }));
  }
}

/** The server's time limit of a cursor includes all of its parts, and a collection takes as long as it takes. */
async function* inSteps<Doc, Item>(
  docs: mongo.AbstractCursor<Doc>,
  read: (doc: Doc) => Item,
): AsyncGenerator<readonly Item[], void> {
  let records: Item[] = [];
  for await (const doc of docs.maxTimeMS(0)) {
    records.push(read(doc));
    if (records.length < step) continue;
    yield records;
    records = [];
  }
  if (records.length > 0) yield records;
}
