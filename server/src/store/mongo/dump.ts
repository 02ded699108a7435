import type { mongo } from "mongoose";
import type { Kept, Kind } from "../kept.js";
import type { Part } from "../port/page.js";
import { readAppointment } from "./collections/appointments.js";
import { type AuditDoc, readAuditRow } from "./collections/audit.js";
import { readBusiness } from "./collections/businesses.js";
import { readEntry } from "./collections/entries.js";
import { readIdempotency } from "./collections/idempotency.js";
import { readKeyInUse } from "./collections/keys.js";
import { readOwner } from "./collections/owners.js";
import { readQueue } from "./collections/queues.js";
import { readService } from "./collections/services.js";
import type { Database } from "./connection.js";

const step = 1_000;

/** Reads each kind to its end. */
type Readings = { readonly [K in Kind]: () => AsyncGenerator<readonly Kept[K][], void> };

/** Dumps whole collections, each with a server cursor that stays open between two parts. */
export class Dumps {
  readonly #readings: Readings;
  readonly #open = new Map<Kind, AsyncGenerator<unknown, void>>();

  constructor(db: Database) {
    this.#readings = readings(db);
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

function readings(db: Database): Readings {
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
    idempotency: () =>
      inSteps(db.idempotency.raw.find(), (doc) => ({
        businessId: doc.businessId,
        ...readIdempotency(doc),
      })),
    audit: () => inSteps(auditRows(db), readAuditRow),
  };
}

/** The audit log in order: rows in their own collection, and rows stored in an entry. */
function auditRows(db: Database): mongo.AggregationCursor<AuditDoc> {
  return db.audit.raw.aggregate<AuditDoc>(
    [
      {
        $unionWith: {
          coll: db.entries.raw.collectionName,
          pipeline: [
            { $match: { "audits.order": { $exists: true } } },
            { $unwind: "$audits" },
            { $replaceWith: "$audits" },
          ],
        },
      },
      { $sort: { order: 1, _id: 1 } },
    ],
    { allowDiskUse: true },
  );
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
