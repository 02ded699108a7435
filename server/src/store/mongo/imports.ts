import { createHash } from "node:crypto";
import { Types } from "mongoose";
import { importTooLate } from "../errors.js";
import type {
  BusinessHead,
  BusinessRecords,
  ImportOutcome,
  ImportStore,
  RecordKind,
} from "../port/imports.js";
import type { Part } from "../port/page.js";
import { auditInParts } from "./audit.js";
import { byCreation } from "./businesses.js";
import { type Database, raw, readAll, readOne, removeSome, storeAll } from "./connection.js";
import {
  type BusinessDoc,
  newChangeId,
  readAppointment,
  readBusiness,
  readEntry,
  withId,
  writeAccount,
  writeEntry,
  writeOwner,
} from "./documents.js";
import { duplicateOf, repeatable, untilDone } from "./guard.js";
import { entriesInParts, partSize } from "./statistics.js";
import type { StoreTime } from "./time.js";

/** The document that marks the target of a copy. */
const copyMark = "copy";

/** How records of one kind are stored and read. */
interface Kind<Item> {
  add(businessId: string, records: readonly Item[], offset: number): Promise<void>;
  read(businessId: string, after: string | null): Promise<Part<Item>>;
}

export function mongoImports(db: Database, { expiry }: StoreTime): ImportStore {
  const { businesses, owners, entries, appointments, imports } = db;

  const kinds: { readonly [K in RecordKind]: Kind<BusinessRecords[K]> } = {
    entries: {
      add: (_, records) =>
        storeAll(
          entries,
          records.map(({ entry, keyed }) => writeEntry(entry, newChangeId(), keyed)),
        ),
      async read(businessId, after) {
        const { items, next } = await entriesInParts(db, { businessId }, {}, after);
        const records = items.map((doc) => ({ entry: readEntry(doc), keyed: doc.keyed ?? null }));
        return { items: records, next };
      },
    },
    appointments: {
      add: (_, records) => storeAll(appointments, records.map(withId)),
      async read(businessId, after) {
        const filter = { businessId, ...(after !== null && { _id: { $gt: after } }) };
        const docs = await readAll(appointments, filter, { sort: { _id: 1 }, limit: partSize });
        const last = docs.length === partSize ? docs.at(-1) : undefined;
        return { items: docs.map(readAppointment), next: last?._id ?? null };
      },
    },
    audit: {
      add: (businessId, records, offset) =>
        storeAll(
          db.audit,
          records.map((row, at) => ({ _id: rowId(businessId, offset + at), ...row })),
        ),
      read: (businessId, after) => auditInParts(db, businessId, after),
    },
  };

  /** Notes that an import goes on, so that its records are not swept. */
  async function goOn(businessId: string, options = { upsert: false }): Promise<void> {
    const filter = { _id: businessId, state: "adding" as const };
    const goesOn = { $set: { at: expiry() } };
    const done = await repeatable(() => imports.updateOne(filter, goesOn, options));
    if (done.matchedCount + done.upsertedCount === 0) throw importTooLate();
  }

  async function commit(
    { business, queues, services, keys, accounts }: BusinessHead,
    replace: boolean,
  ): Promise<ImportOutcome> {
    const { id, slug, ...settings } = business;
    await goOn(id);
    for (const owner of accounts) {
      const { _id, ...doc } = writeOwner(owner);
      await repeatable(() => owners.replaceOne({ _id }, doc, { upsert: true }));
    }
    const doc: Omit<BusinessDoc, "_id"> = {
      id,
      ...settings,
      added: new Types.ObjectId(),
      queues,
      used: [],
      services,
      keys,
      accounts: accounts.map(writeAccount),
      revision: 0,
      changes: [],
    };
    let replaced: string | null = null;
    const outcome = await untilDone<ImportOutcome>(async () => {
      const before = await readOne(businesses, { _id: slug });
      if (before?.id === id) return { done: "imported" }; // by an earlier try
      if (before && !replace) return { done: "slug_exists" };
      if (before) {
        replaced = before.id;
        const unnamed = { $set: { state: "replaced", at: expiry() } };
        await repeatable(() => imports.updateOne({ _id: before.id }, unnamed, { upsert: true }));
      }
      try {
        // If another business has the slug by now, it is a duplicate.
        const filter = { _id: slug, id: before?.id ?? "" };
        await raw(businesses).replaceOne(filter, doc, { upsert: true });
        return { done: "imported" };
      } catch (error) {
        if (duplicateOf(error) !== "_id_") throw error;
        return "lost";
      }
    });
    // If this ends early, `prune` removes the rest.
    if (outcome === "imported" && replaced !== null) {
      while ((await removeRecords(db, replaced)) > 0);
    }
    return outcome;
  }

  return {
    async begin(businessId) {
      try {
        await goOn(businessId, { upsert: true });
      } catch (error) {
        // The records of an earlier import of this business are being removed.
        throw duplicateOf(error) === null ? error : importTooLate();
      }
    },

    async add(businessId, kind, records, offset) {
      await goOn(businessId);
      await kinds[kind].add(businessId, records as never, offset);
    },

    commit: (head, { replace }) => commit(head, replace),

    async head(businessId) {
      const business = await readOne(businesses, { id: businessId });
      if (!business) return null;
      const docs = await readAll(owners, { businessId });
      const byId = new Map(docs.map((doc) => [doc._id, doc]));
      return {
        business: readBusiness(business),
        queues: business.queues,
        services: business.services,
        keys: [...business.keys].sort(byCreation),
        accounts: [...business.accounts].sort(byCreation).map((account) => {
          const { passwordHash = null, link = null } = byId.get(account.id) ?? {};
          return { ...account, businessId, passwordHash, link };
        }),
      };
    },

    read: (businessId, kind, after) => kinds[kind].read(businessId, after) as never,

    async markCopying(isCopying) {
      const mark = { $set: { state: "copy", at: expiry() } };
      if (isCopying)
        await repeatable(() => imports.updateOne({ _id: copyMark }, mark, { upsert: true }));
      else await repeatable(() => imports.deleteOne({ _id: copyMark }));
    },

    isCopying: async () => (await repeatable(() => imports.exists({ _id: copyMark }))) !== null,
  };
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
