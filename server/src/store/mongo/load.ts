import { type mongo, Types } from "mongoose";
import type { Kept, Kind } from "../kept.js";
import { writeAppointment } from "./collections/appointments.js";
import { writeAuditRow } from "./collections/audit.js";
import { copyOf } from "./collections/businesses.js";
import { dayOf } from "./collections/days.js";
import { writeEntry } from "./collections/entries.js";
import { idempotencyId } from "./collections/idempotency.js";
import { writeKey } from "./collections/keys.js";
import { writeOwner } from "./collections/owners.js";
import { writeQueue } from "./collections/queues.js";
import { writeService } from "./collections/services.js";
import type { Collection, Database } from "./connection.js";
import { lineAt, lineField } from "./line-pipeline.js";
import type { Lines } from "./lines.js";
import { openDays } from "./open-days.js";
import { keyOf } from "./reports.js";
import { duplicatesOf } from "./unavailable.js";

/** The import id of businesses that were copied from another store. */
const copyId = "copy";

/** Writes records of a copy. Records from an earlier attempt are replaced. */
export class Loader {
  readonly #db: Database;
  readonly #lines: Lines;
  /** The lines of the loaded entries. Each is marked for a recount before its first entry is written. */
  readonly #touched = new Map<string, Pick<Kept["entries"], "businessId" | "date" | "queueId">>();
  #auditOrder = 0;

  constructor(db: Database, lines: Lines) {
    this.#db = db;
    this.#lines = lines;
  }

  async load<K extends Kind>(kind: K, records: readonly Kept[K][], offset: number): Promise<void> {
    await this.#load[kind](records, offset);
  }

  /** Counts the lines, and creates the keyring of each business. */
  async end(): Promise<void> {
    for (const [key, { businessId, date, queueId }] of this.#touched) {
      await this.#lines.recount(businessId, date, queueId);
      this.#touched.delete(key);
    }
    const { businesses, keys, keyrings } = this.#db;
    for await (const { _id } of businesses.raw.find({ importId: copyId })) {
      const held = await keys.raw.find({ businessId: _id, revokedAt: null }).toArray();
      const slots = held.map(({ _id: keyId, expiresAt }) => ({ keyId, expiresAt, takenAt: 0 }));
      await put(keyrings, [{ _id, slots }]);
    }
  }

  readonly #load: {
    readonly [K in Kind]: (records: readonly Kept[K][], offset: number) => Promise<void>;
  } = {
    businesses: (records, offset) =>
      put(
        this.#db.businesses,
        records.map(({ id: _id, ...business }, at) => ({
          ...{ _id, importId: copyId, addedAt: offset + at + 1, place: 0 },
          ...{ ...business, revision: 1, spread: true },
        })),
      ),

    services: (records, offset) =>
      put(
        this.#db.services,
        records.map((service, at) => writeService(service, offset + at)),
      ),

    queues: (records, offset) =>
      put(
        this.#db.queues,
        records.map((queue, at) => writeQueue(queue, offset + at)),
      ),

    keys: async (records) => {
      const ids = [...new Set(records.map(({ businessId }) => businessId))];
      const docs = await this.#db.businesses.raw.find({ _id: { $in: ids } }).toArray();
      const copies = new Map(docs.map((doc) => [doc._id, copyOf(doc)]));
      await put(
        this.#db.keys,
        records.map(({ lastUsedAt, ...key }) => ({
          ...writeKey(key, copies.get(key.businessId) ?? null),
          lastUsedAt,
        })),
      );
    },

    owners: (records) => put(this.#db.owners, records.map(writeOwner)),

    entries: async (records) => {
      for (const entry of records) await this.#touch(entry);
      await put(
        this.#db.entries,
        records.map(({ claimId, ...entry }) => ({
          ...writeEntry(entry),
          ...(claimId !== null && { claimId }),
        })),
      );
    },

    appointments: (records) => put(this.#db.appointments, records.map(writeAppointment)),

    idempotency: (records) =>
      put(
        this.#db.idempotency,
        records.map((record) => ({
          _id: idempotencyId(record.businessId, record.key),
          attempt: copyId,
          ...record,
        })),
      ),

    audit: (records, offset) =>
      put(
        this.#db.audit,
        records.map((row, at) => {
          this.#auditOrder = Math.max(this.#auditOrder, row.at);
          const _id = new Types.ObjectId((offset + at).toString(16).padStart(24, "0"));
          return { _id, order: this.#auditOrder, ...writeAuditRow(row, "copied") };
        }),
      ),
  };

  async #touch({ businessId, date, queueId }: Kept["entries"]): Promise<void> {
    const key = keyOf({ businessId, date, queueId });
    if (this.#touched.has(key)) return;
    await openDays(this.#db, [{ businessId, date }]);
    const line = lineAt(queueId);
    const doubted = {
      revision: { $add: [{ $getField: { field: "revision", input: line } }, 1] },
      doubt: true,
    };
    await this.#db.days.raw.updateOne(dayOf({ businessId, date }), [
      { $set: { [lineField(queueId)]: { $mergeObjects: [line, doubted] } } },
    ]);
    this.#touched.set(key, { businessId, date, queueId });
  }
}

/** Inserts documents, and replaces those that already exist. */
async function put<Doc extends { readonly _id: string | Types.ObjectId }>(
  { raw }: Collection<Doc>,
  docs: readonly mongo.OptionalUnlessRequiredId<Doc>[],
): Promise<void> {
  if (docs.length === 0) return;
  try {
    await raw.insertMany([...docs], { ordered: false });
  } catch (error) {
    const there = duplicatesOf(error);
    if (!there) throw error;
    await raw.bulkWrite(
      [...there.keys()].map((at) => {
        const { _id, ...replacement } = docs[at] as unknown as { _id: unknown };
        const filter = { _id } as mongo.Filter<Doc>;
        return { replaceOne: { filter, replacement: replacement as mongo.WithoutId<Doc> } };
      }),
    );
  }
}
