import { createHash } from "node:crypto";
import { Types } from "mongoose";
import type { Owner } from "../../rules/records.js";
import type {
  BusinessHead,
  BusinessRecords,
  ImportOutcome,
  ImportStore,
  RecordKind,
} from "../port/imports.js";
import type { Part } from "../port/page.js";
import { auditInParts } from "./audit.js";
import { addedNow, byCreation } from "./businesses.js";
import { type Database, raw, removeSome, storeAll } from "./connection.js";
import {
  type AppointmentDoc,
  type BusinessDoc,
  newChangeId,
  type OwnerDoc,
  readAppointment,
  readBusiness,
  readEntry,
  readKeyInUse,
  readQueue,
  readService,
  withId,
  writeEntry,
  writeKey,
  writeOwned,
  writeOwner,
} from "./documents.js";
import { duplicateOf, repeatable, untilDone } from "./guard.js";
import { expiring } from "./issue.js";
import { entriesInParts } from "./statistics.js";
import type { StoreTime } from "./time.js";

/** The document that marks the target of a copy. */
const copyMark = "copy";

type Adders = {
  readonly [K in RecordKind]: (
    businessId: string,
    records: readonly BusinessRecords[K][],
    offset: number,
  ) => Promise<void>;
};

type Readers = {
  readonly [K in RecordKind]: (
    businessId: string,
    after: string | null,
  ) => Promise<Part<BusinessRecords[K]>>;
};

export function mongoImports(db: Database, { expiry }: StoreTime): ImportStore {
  const { businesses, owners, entries, appointments, imports } = db;

  const adders: Adders = {
    entries: (_, records) =>
      storeAll(
        entries,
        records.map(({ entry, keyed }) => ({
          ...writeEntry(entry, newChangeId()),
          ...(keyed && { keyed }),
          ...expiring(keyed, []),
        })),
      ),
    appointments: (_, records) => storeAll(appointments, records.map(withId)),
    audit: async (businessId, records, offset) => {
      const docs = records.map((row, at) => ({ _id: rowId(businessId, offset + at), ...row }));
      await storeAll(db.audit, docs);
    },
  };

  const readers: Readers = {
    entries: async (businessId, after) => {
      const { items, next } = await entriesInParts(db, { businessId }, {}, after);
      const records = items.map((doc) => ({ entry: readEntry(doc), keyed: doc.keyed ?? null }));
      return { items: records, next };
    },
    appointments: async (businessId, after) => {
      const following = after === null ? {} : { date: { $gt: after } };
      const [first] = await repeatable(() =>
        appointments
          .find({ businessId, ...following }, { date: 1 })
          .sort({ date: 1 })
          .limit(1)
          .lean<AppointmentDoc[]>(),
      );
      if (!first) return { items: [], next: null };
      const { date } = first;
      const docs = await repeatable(() =>
        appointments.find({ businessId, date }).lean<AppointmentDoc[]>(),
      );
      return { items: docs.map(readAppointment), next: date };
    },
    audit: (businessId, after) => auditInParts(db, businessId, after),
  };

  /** Notes that an import goes on, so that its records are not swept. */
  async function goOn(businessId: string, at: Readonly<Record<string, unknown>>): Promise<void> {
    try {
      const filter = { _id: businessId, state: { $ne: "swept" as const } };
      await repeatable(() => imports.updateOne(filter, { ...at }, { upsert: true }));
    } catch (error) {
      if (duplicateOf(error) === null) throw error;
      throw new Error("the import took too long, and its records were removed", { cause: error });
    }
  }

  async function commit(
    { business, queues, services, keys, accounts }: BusinessHead,
    replace: boolean,
  ): Promise<ImportOutcome> {
    const { id, slug, ...settings } = business;
    await goOn(id, { $set: { state: "adding", at: expiry() } });
    for (const { owner, link } of accounts) {
      const { _id, ...doc } = writeOwner(owner, link);
      await repeatable(() => owners.replaceOne({ _id }, doc, { upsert: true }));
    }
    const doc: Omit<BusinessDoc, "_id"> = {
      id,
      ...settings,
      added: addedNow(),
      queues: queues.map(writeOwned),
      used: [],
      services: services.map(writeOwned),
      keys: keys.map(writeKey),
      accounts: accounts.map(({ owner }) => accountOf(owner)),
      revision: 0,
      changes: [],
    };
    return untilDone<ImportOutcome>(async () => {
      const before = await repeatable(() => businesses.findById(slug).lean<BusinessDoc>());
      if (before?.id === id) return { done: "imported" }; // by an earlier try
      if (before && !replace) return { done: "slug_exists" };
      try {
        if (!before) {
          await raw(businesses).insertOne({ _id: slug, ...doc });
          return { done: "imported" };
        }
        const replaced = { $set: { state: "replaced", at: expiry() } };
        await repeatable(() => imports.updateOne({ _id: before.id }, replaced, { upsert: true }));
        const { matchedCount } = await businesses.replaceOne({ _id: slug, id: before.id }, doc);
        if (matchedCount === 0) return "lost";
        while ((await removeRecords(db, before.id)) > 0); // `prune` removes the rest if this ends early
        return { done: "imported" };
      } catch (error) {
        if (duplicateOf(error) !== "_id_") throw error;
        return "lost";
      }
    });
  }

  return {
    async add(businessId, kind, records, offset) {
      await goOn(businessId, { $setOnInsert: { state: "adding", at: expiry() } });
      await adders[kind](businessId, records as never, offset);
    },

    commit: (head, { replace }) => commit(head, replace),

    async head(businessId) {
      const business = await repeatable(() =>
        businesses.findOne({ id: businessId }).lean<BusinessDoc>(),
      );
      if (!business) return null;
      const docs = await repeatable(() => owners.find({ businessId }).lean<OwnerDoc[]>());
      const byId = new Map(docs.map((doc) => [doc._id, doc]));
      return {
        business: readBusiness(business),
        queues: business.queues.map((doc) => readQueue(businessId, doc)),
        services: business.services.map((doc) => readService(businessId, doc)),
        keys: business.keys.map((doc) => readKeyInUse(businessId, doc)).sort(byCreation),
        accounts: [...business.accounts].sort(byCreation).map((account) => {
          const { passwordHash = null, link = null } = byId.get(account.id) ?? {};
          const owner = { ...account, businessId, passwordHash };
          return { owner, link: link && { ...link, ownerId: account.id } };
        }),
      };
    },

    read: (businessId, kind, after) => readers[kind](businessId, after) as never,

    async beginCopy() {
      if (await repeatable(() => imports.exists({ _id: copyMark }))) return true;
      if (await repeatable(() => businesses.exists({}))) return false;
      const mark = { $set: { state: "copy", at: expiry() } };
      await repeatable(() => imports.updateOne({ _id: copyMark }, mark, { upsert: true }));
      return true;
    },

    async endCopy() {
      await repeatable(() => imports.deleteOne({ _id: copyMark }));
    },

    isCopying: async () => (await repeatable(() => imports.exists({ _id: copyMark }))) !== null,
  };
}

function accountOf({ id, email, role, createdAt }: Owner) {
  return { id, email, role, createdAt };
}

/** The id of an imported row, which grows with its place in the log. */
function rowId(businessId: string, place: number): Types.ObjectId {
  const digits = createHash("sha256").update(businessId).digest("hex").slice(0, 12);
  const number = place.toString(16).padStart(10, "0");
  return Types.ObjectId.createFromHexString(`00${number}${digits}`);
}

/** Removes some of the records of a business that does not exist any more. Returns how many. */
export async function removeRecords(db: Database, businessId: string): Promise<number> {
  const { entries, appointments, audit, owners } = db;
  return (
    (await removeSome(entries, { businessId })) +
    (await removeSome(appointments, { businessId })) +
    (await removeSome(audit, { businessId })) +
    (await removeSome(owners, { businessId }))
  );
}
