import { type mongo, Types } from "mongoose";
import type { Entry } from "../../rules/records.js";
import type { BusinessImport, ImportOptions, ImportOutcome } from "../port/businesses.js";
import { writeAppointment } from "./collections/appointments.js";
import type { BusinessDoc } from "./collections/businesses.js";
import { type DayDoc, dayId, type LineDoc } from "./collections/days.js";
import { writeEntry } from "./collections/entries.js";
import { writeKey } from "./collections/keys.js";
import { writeQueue } from "./collections/queues.js";
import { writeService } from "./collections/services.js";
import type { Collection, Database, Filter } from "./connection.js";
import { contributionOf, entriesIn, withContribution } from "./line.js";
import { emptyLine } from "./line-pipeline.js";
import type { StoreTime } from "./time.js";
import { duplicateOf } from "./unavailable.js";

/** The maximum number of documents that one command writes. */
const batchSize = 2_000;

/** The time without progress after which an import counts as abandoned. */
const givenUpMs = 60_000;

/** A business to write, with its first revision. */
interface Part extends BusinessImport {
  readonly revision: number;
}

/**
 * Writes whole businesses, all or none. First it writes everything, with a pending slug for each business, so
 * that no reader finds them. One write then commits the import. After that each business receives its slug,
 * and the business that it replaces is removed. After a crash, `prune` finishes or removes the import.
 */
export class Importer {
  readonly #db: Database;
  readonly #time: StoreTime;

  constructor(db: Database, time: StoreTime) {
    this.#db = db;
    this.#time = time;
  }

  async import(
    imports: readonly BusinessImport[],
    { replace }: ImportOptions,
  ): Promise<ImportOutcome> {
    const taken = await this.#takenSlug(imports);
    if (taken !== null && !replace) return { outcome: "slug_exists", slug: taken };
    const parts = await this.#madeRoomFor(lastOfEachSlug(imports));
    const importId = new Types.ObjectId().toHexString();
    const now = await this.#db.now(this.#time.expression());
    await this.#db.imports.raw.insertOne({ _id: importId, state: "writing", at: now });
    try {
      await this.#reserve(parts, importId, now);
      // Another import may have taken the slug since the first check and no longer hold it as pending.
      const late = replace ? null : await this.#takenSlug(imports);
      if (late !== null) {
        await this.#abandon(importId);
        return { outcome: "slug_exists", slug: late };
      }
      await this.#write(parts, importId);
    } catch (error) {
      await this.#abandon(importId);
      throw error;
    }
    // If this fails, it is unknown whether the import is committed. `tidy` uses the state in the database.
    await this.#db.imports.raw.updateOne({ _id: importId }, { $set: { state: "committed" } });
    await this.#finish(importId);
    return { outcome: "imported" };
  }

  /** Finishes or removes the imports that a crash interrupted. */
  async tidy(): Promise<void> {
    const now = await this.#db.now(this.#time.expression());
    for (const { _id, state, at } of await this.#db.imports.model.find().lean()) {
      if (Math.abs(now - at) < givenUpMs) continue;
      if (state === "committed") await this.#finish(_id);
      else await this.#abandon(_id);
    }
  }

  async #takenSlug(imports: readonly BusinessImport[]): Promise<string | null> {
    const seen = new Set<string>();
    for (const { business } of imports) {
      const { slug } = business;
      if (seen.has(slug) || (await this.#db.businesses.raw.findOne({ slug }))) return slug;
      seen.add(slug);
    }
    return null;
  }

  /**
   * Inserts the businesses so that no reader finds them yet. Two imports cannot hold the same pending slug.
   */
  async #reserve(parts: readonly Part[], importId: string, now: number): Promise<void> {
    const added = this.#db.businesses.model.find({ addedAt: { $gt: 0 } });
    const [last] = await added.sort({ addedAt: -1 }).limit(1).lean();
    const addedAt = Math.max(now, (last?.addedAt ?? 0) + 1);
    for (const [place, { business, revision }] of parts.entries()) {
      const { id: _id, slug: pendingSlug, ...rest } = business;
      const doc: BusinessDoc = {
        ...{ _id, pendingSlug, importId, addedAt, place },
        ...{ ...rest, revision, spread: true },
      };
      await this.#db.businesses.raw.insertOne(doc).catch((error) => {
        if (duplicateOf(error) !== "pendingSlug") throw error;
        throw new Error("another import of the same slug is under way; try again in a minute", {
          cause: error,
        });
      });
    }
  }

  /**
   * Removes existing businesses with the ids of the import, because both cannot exist at once. Their
   * revisions continue, otherwise cached data of the old business would be used for the new one. The
   * code in `owner/` always assigns new ids.
   */
  async #madeRoomFor(imports: readonly BusinessImport[]): Promise<readonly Part[]> {
    const ids = imports.map(({ business }) => business.id);
    const fields = { _id: 1, revision: 1 } as const;
    const there = await this.#db.businesses.model.find({ _id: { $in: ids } }, fields).lean();
    const revisions = new Map(there.map(({ _id, revision }) => [_id, revision]));
    const parts = imports.map((part) => ({
      ...part,
      revision: (revisions.get(part.business.id) ?? 0) + 1,
    }));
    for (const { _id } of there) await this.#remove(_id);
    return parts;
  }

  async #write(parts: readonly Part[], importId: string): Promise<void> {
    const { keys, keyrings, queues, services, entries, appointments, days } = this.#db;
    const signOfLife = async () => {
      const at = await this.#db.now(this.#time.expression());
      await this.#db.imports.raw.updateOne({ _id: importId }, { $set: { at } });
    };
    for (const { business, revision, ...part } of parts) {
      const { id, ...copy } = business;
      const held = part.keys.filter((key) => key.revokedAt === null);
      await insertAll(
        keys,
        part.keys.map((key) => writeKey(key, { ...copy, revision })),
      );
      await insertAll(keyrings, [
        {
          _id: id,
          slots: held.map((key) => ({ keyId: key.id, expiresAt: key.expiresAt, takenAt: 0 })),
        },
      ]);
      await insertAll(services, part.services.map(writeService));
      await insertAll(queues, part.queues.map(writeQueue));
      const counted = new DaysCounted();
      await insertAll(
        entries,
        mapped(part.entries, (entry) => writeEntry(counted.seen(entry))),
        signOfLife,
      );
      await insertAll(appointments, mapped(part.appointments, writeAppointment), signOfLife);
      await insertAll(days, counted.days(id));
    }
  }

  /** After the commit: gives each business its slug, and removes the business that had it. */
  async #finish(importId: string): Promise<void> {
    const { businesses, imports } = this.#db;
    const pending = businesses.model.find({ importId, pendingSlug: { $exists: true } }).lean();
    for (const { _id, pendingSlug: slug } of await pending) {
      if (slug === undefined) continue;
      const before = await businesses.raw.findOne({ slug, _id: { $ne: _id } });
      if (before) await this.#remove(before._id);
      await businesses.raw.updateOne({ _id }, { $set: { slug }, $unset: { pendingSlug: "" } });
    }
    await imports.raw.deleteOne({ _id: importId });
  }

  async #abandon(importId: string): Promise<void> {
    const pending = { importId, pendingSlug: { $exists: true } };
    for (const { _id } of await this.#db.businesses.model.find(pending).lean()) {
      await this.#remove(_id);
    }
    await this.#db.imports.raw.deleteOne({ _id: importId });
  }

  /** Removes a business with all its records: first what gives access, the business itself last. */
  async #remove(businessId: string): Promise<void> {
    const { keys, keyrings, owners, services, queues, entries, days, appointments } = this.#db;
    const { idempotency, audit } = this.#db;
    await removeAll(keys, businessId);
    await removeAll(owners, businessId);
    await removeAll(services, businessId);
    await removeAll(queues, businessId);
    await removeAll(entries, businessId);
    await removeAll(days, businessId);
    await removeAll(appointments, businessId);
    await removeAll(idempotency, businessId);
    await removeAll(audit, businessId);
    await keyrings.raw.deleteOne({ _id: businessId });
    await this.#db.businesses.raw.deleteOne({ _id: businessId });
  }
}

/** If two businesses have the same slug, the later one replaces the earlier. */
function lastOfEachSlug(imports: readonly BusinessImport[]): BusinessImport[] {
  return [...new Map(imports.map((part) => [part.business.slug, part])).values()];
}

function* mapped<From, To>(items: Iterable<From>, map: (item: From) => To): Iterable<To> {
  for (const item of items) yield map(item);
}

async function insertAll<Doc extends object>(
  { raw }: Collection<Doc>,
  docs: Iterable<mongo.OptionalUnlessRequiredId<Doc>>,
  written: () => Promise<void> = async () => {},
): Promise<void> {
  let batch: mongo.OptionalUnlessRequiredId<Doc>[] = [];
  const flush = async () => {
    if (batch.length === 0) return;
    await raw.insertMany(batch, { ordered: false });
    await written();
    batch = [];
  };
  for (const doc of docs) {
    batch.push(doc);
    if (batch.length === batchSize) await flush();
  }
  await flush();
}

/** Removes all documents of a business from one collection, in steps that do not time out. */
async function removeAll<Doc extends { readonly businessId: string }>(
  { raw }: Collection<Doc>,
  businessId: string,
): Promise<void> {
  const own = { businessId } as Filter<Doc>;
  for (;;) {
    const docs = await raw
      .find(own, { projection: { _id: 1 } })
      .limit(batchSize)
      .toArray();
    if (docs.length === 0) return;
    await raw.deleteMany({ ...own, _id: { $in: docs.map(({ _id }) => _id) } } as Filter<Doc>);
  }
}

/** Counts the lines of a business's days from its entries. */
class DaysCounted {
  readonly #lines = new Map<string, Map<string, LineDoc>>();

  seen(entry: Entry): Entry {
    const { date, queueId, tokenNumber } = entry;
    const lines = this.#lines.get(date) ?? new Map<string, LineDoc>();
    this.#lines.set(date, lines);
    const line = lines.get(queueId) ?? { ...emptyLine, stamp: new Types.ObjectId().toHexString() };
    const totals = withContribution(line, contributionOf(entry));
    lines.set(queueId, { ...line, ...totals, last: Math.max(line.last, tokenNumber) });
    return entry;
  }

  days(businessId: string): DayDoc[] {
    return [...this.#lines].map(([date, lines]) => ({
      _id: dayId(businessId, date),
      businessId,
      date,
      created: [...lines.values()].reduce((sum, line) => sum + entriesIn(line), 0),
      lines: Object.fromEntries(lines),
    }));
  }
}
