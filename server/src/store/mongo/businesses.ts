import { forgottenKeys, isBelowKeyLimit, revokedOnce } from "../../rules/key.js";
import type { Business, KeyInUse, Queue, Service } from "../../rules/records.js";
import type { BusinessStore, KeyStore, QueueStore, ServiceStore } from "../port/business.js";
import type { RecordStore } from "../port/records.js";
import { changeOne, type Decided } from "./changes.js";
import { type Database, readAll, readOne } from "./connection.js";
import { type BusinessDoc, type EntryDoc, readBusiness, settingsOnly } from "./documents.js";
import { duplicateOf, repeatable } from "./guard.js";
import { countDay } from "./line.js";
import type { StoreTime } from "./time.js";

/** Changes a business, with {@link changeOne}. Null if it does not exist. */
export function changeBusiness<Result>(
  { businesses }: Database,
  id: string,
  decide: (business: BusinessDoc) => BusinessChange<Result> | Promise<BusinessChange<Result>>,
): Promise<Result | null> {
  return changeOne(businesses, { id }, () => readOne(businesses, { id }), decide);
}

type BusinessChange<Result> = Decided<BusinessDoc, Result>;

export function mongoBusinesses(db: Database): BusinessStore {
  const { businesses } = db;

  async function findOne(filter: Readonly<Record<string, unknown>>): Promise<Business | null> {
    const doc = await readOne(businesses, filter, { fields: settingsOnly });
    return doc && readBusiness(doc);
  }

  async function findOwner(doc: Promise<{ readonly businessId: string } | null>) {
    const id = (await doc)?.businessId;
    return id === undefined ? null : findOne({ id });
  }

  return {
    async list() {
      const docs = await readAll(businesses, {}, { fields: settingsOnly, sort: { added: 1 } });
      return docs.map(readBusiness);
    },
    async find(by, value) {
      if (by === "entry") return findOwner(readOne(db.entries, { _id: value }));
      if (by === "appointment") return findOwner(readOne(db.appointments, { _id: value }));
      const fields = { slug: "_id", key: "keys.id", queue: "queues.id" } as const;
      return findOne({ [by in fields ? fields[by as keyof typeof fields] : by]: value });
    },
    change: (businessId, change) =>
      changeBusiness(db, businessId, (doc) => ({
        result: { ...readBusiness(doc), ...change },
        update: { $set: change },
      })),
  };
}

export function mongoKeys(db: Database, { now }: StoreTime): KeyStore {
  return {
    async list(businessId) {
      const doc = await readOne(db.businesses, { id: businessId }, { fields: { keys: 1 } });
      return [...(doc?.keys ?? [])].sort(byCreation);
    },

    async add(businessId, key) {
      let forgotten: readonly string[] = [];
      try {
        const added = await changeBusiness<"added" | "exists" | "too_many_active">(
          db,
          businessId,
          ({ keys }) => {
            if (keys.some(({ id }) => id === key.id)) return { result: "exists" };
            if (!isBelowKeyLimit(keys, now())) return { result: "too_many_active" };
            forgotten = forgottenKeys(keys, now());
            return { result: "added", update: { $push: { keys: { ...key, lastUsedAt: null } } } };
          },
        );
        if (added === null) throw new Error("the business of a new key does not exist");
        if (added === "added" && forgotten.length > 0) {
          const update = { $pull: { keys: { id: { $in: forgotten } } } };
          await changeBusiness(db, businessId, () => ({ result: null, update }));
        }
        return added;
      } catch (error) {
        if (duplicateOf(error) === "key") return "exists"; // of another business
        throw error;
      }
    },

    change: (businessId, keyId, change) =>
      changeBusiness<KeyInUse | null>(db, businessId, ({ keys }) => {
        const key = keys.find(({ id }) => id === keyId);
        if (!key) return { result: null };
        const applied = revokedOnce(key, change);
        const set = Object.entries(applied).map(([field, value]) => [`keys.$.${field}`, value]);
        return {
          result: { ...key, ...applied },
          // one key alone, because the last use of the others is noted at the same time
          update: { $set: Object.fromEntries(set) },
          match: { "keys.id": keyId },
        };
      }),
  };
}

/** What queues and services have in common: they are lists in the document of their business. */
function listed<Item extends Queue | Service>(db: Database, list: "queues" | "services") {
  const itemsOf = (business: BusinessDoc) => business[list] as readonly Item[];

  type Added = Awaited<ReturnType<RecordStore<Item>["add"]>>;
  type Removed = Awaited<ReturnType<RecordStore<Item>["remove"]>>;

  return {
    async list(businessId: string): Promise<readonly Item[]> {
      const doc = await readOne(db.businesses, { id: businessId }, { fields: { [list]: 1 } });
      return doc ? itemsOf(doc) : [];
    },

    async add(businessId: string, item: Item): Promise<Added> {
      const added = await changeBusiness<Added>(db, businessId, (business) =>
        itemsOf(business).some(({ id }) => id === item.id)
          ? { result: "exists" }
          : { result: "added", update: { $push: { [list]: item } } },
      );
      if (added === null) throw new Error("the business does not exist");
      return added;
    },

    change(businessId: string, itemId: string, change: Partial<Item>): Promise<Item | null> {
      return changeBusiness<Item | null>(db, businessId, (business) => {
        const items = itemsOf(business);
        const after = items.map((item) => (item.id === itemId ? { ...item, ...change } : item));
        const result = after.find(({ id }) => id === itemId);
        return result ? { result, update: { $set: { [list]: after } } } : { result: null };
      });
    },

    /** Whether an item is noted in `used`, or found with a filter. */
    async isInUse(
      businessId: string,
      itemId: string,
      isFound: () => Promise<boolean>,
    ): Promise<boolean> {
      const doc = await readOne(db.businesses, { id: businessId }, { fields: { used: 1 } });
      return doc?.used.includes(itemId) || repeatable(isFound);
    },

    /** Removes an item that is not in use. */
    async remove(
      businessId: string,
      itemId: string,
      isFound: () => Promise<boolean>,
    ): Promise<Removed> {
      const removed = await changeBusiness<Removed>(db, businessId, async (business) => {
        if (!itemsOf(business).some(({ id }) => id === itemId)) return { result: "not_found" };
        if (business.used.includes(itemId) || (await repeatable(isFound)))
          return { result: "in_use" };
        const update = { $pull: { [list]: { id: itemId } } };
        return { result: "removed", update, match: { used: { $ne: itemId } } };
      });
      return removed ?? "not_found";
    },
  };
}

export function mongoQueues(db: Database): QueueStore {
  const { list, add, change, isInUse, remove } = listed<Queue>(db, "queues");
  const isFound = (businessId: string, queueId: string) => async () => {
    const places = [{ queueId }, { "earlierPlaces.queueId": queueId }];
    return (await db.entries.exists({ businessId, $or: places })) !== null;
  };
  return {
    list,
    add,
    change,

    async day(businessId, queueId, date) {
      const [queues, counts] = await Promise.all([
        list(businessId),
        countDay(db, businessId, date, { queueId, numbers: true }),
      ]);
      const queue = queues.find(({ id }) => id === queueId);
      return queue ? counts.queueDay(queue) : null;
    },

    async reorder(businessId, queueIds) {
      await changeBusiness(db, businessId, ({ queues }) => {
        const named = queueIds.flatMap((id) => queues.find((queue) => queue.id === id) ?? []);
        const rest = queues.filter((queue) => !named.includes(queue));
        return { result: null, update: { $set: { queues: [...new Set(named), ...rest] } } };
      });
    },

    isInUse: (businessId, queueId) => isInUse(businessId, queueId, isFound(businessId, queueId)),
    remove: (businessId, queueId) => remove(businessId, queueId, isFound(businessId, queueId)),
  };
}

/**
 * Notes the queues and services of entries in their business, before the entries are written: so none is removed
 * that an entry has. False if the business was changed meanwhile.
 */
export async function noteUsed(
  { businesses }: Database,
  { id, revision, used }: Pick<BusinessDoc, "id" | "revision" | "used">,
  entries: readonly Pick<EntryDoc, "queueId" | "serviceId">[],
): Promise<boolean> {
  const all = new Set(
    entries.flatMap(({ queueId, serviceId }) => [queueId, serviceId ?? []]).flat(),
  );
  const unused = [...all].filter((itemId) => !used.includes(itemId));
  if (unused.length === 0) return true;
  const { matchedCount } = await repeatable(() =>
    businesses.updateOne({ id, revision }, { $addToSet: { used: { $each: unused } } }),
  );
  return matchedCount === 1;
}

export function mongoServices(db: Database): ServiceStore {
  const { isInUse, remove, ...services } = listed<Service>(db, "services");
  const { entries, appointments } = db;
  const isFound = (businessId: string, serviceId: string) => async () => {
    const of = { businessId, serviceId };
    return [await entries.exists(of), await appointments.exists(of)].some((one) => one !== null);
  };
  return {
    ...services,
    isInUse: (businessId, serviceId) =>
      isInUse(businessId, serviceId, isFound(businessId, serviceId)),
    remove: (businessId, serviceId) =>
      remove(businessId, serviceId, isFound(businessId, serviceId)),
  };
}

/** Orders records by the time of their creation. */
export function byCreation(
  a: { readonly createdAt: number; readonly id: string },
  b: { readonly createdAt: number; readonly id: string },
): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}
