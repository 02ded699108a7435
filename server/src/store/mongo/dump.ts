import type { Dump } from "../kept.js";
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

/** Reads whole collections. */
export function prepareDump(db: Database): Dump {
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

/** The log in its order: the rows of their own, and those that are part of an entry. */
function auditRows(db: Database): AsyncIterable<AuditDoc> {
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

async function* inSteps<Doc, Kept>(
  docs: AsyncIterable<Doc>,
  read: (doc: Doc) => Kept,
): AsyncIterable<readonly Kept[]> {
  let records: Kept[] = [];
  for await (const doc of docs) {
    records.push(read(doc));
    if (records.length < step) continue;
    yield records;
    records = [];
  }
  if (records.length > 0) yield records;
}
