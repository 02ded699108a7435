import mongoose from "mongoose";
import type { PeerDatabase, Tables } from "./peer-database.js";

const day = { businessId: 1, date: 1, queueId: 1 };
const group = { status: 1, priority: 1, workMinutes: 1 };
const indexes: Partial<Record<keyof Tables, mongoose.mongo.IndexDescription[]>> = {
  entries: [
    { key: { ...day, tokenNumber: 1 }, unique: true },
    { key: { businessId: 1, date: 1, placeInDay: 1 }, unique: true },
    {
      key: { businessId: 1, key: 1 },
      unique: true,
      partialFilterExpression: { key: { $gt: "" } },
    },
    { key: { ...day, ...group, tokenNumber: 1, startedAt: 1, completedAt: 1 } },
    {
      key: { businessId: 1, "audits.at": 1 },
      partialFilterExpression: { "audits.at": { $exists: true } },
    },
  ],
  audit: [{ key: { businessId: 1, at: 1 } }],
};

const docOf = ({ id: _id, ...rest }: { readonly id: string }) => ({ _id, ...rest });
const recordOf = ({ _id: id, ...rest }: mongoose.mongo.Document) => ({ id, ...rest }) as never;

/** The peer's database on a MongoDB server. Everything is acknowledged by a majority. */
export async function mongoDatabase(url: string): Promise<PeerDatabase> {
  const client = await mongoose.mongo.MongoClient.connect(url, {
    maxPoolSize: 50,
    writeConcern: { w: "majority" },
    readConcern: { level: "majority" },
  });
  const collection = (table: keyof Tables) =>
    client.db().collection<mongoose.mongo.Document & { _id: string }>(table);
  const entries = collection("entries");
  for (const [table, own] of Object.entries(indexes)) {
    // one command, because DocumentDB takes no second one of a new collection
    await collection(table as keyof Tables).createIndexes(own);
  }

  return {
    async find(table, { id, ...where }: { id?: string }) {
      const filter = { ...(id !== undefined && { _id: id }), ...where };
      const found = await collection(table).findOne(filter, { projection: { audits: 0 } });
      return found && recordOf(found);
    },

    async page(where, after, limit) {
      const filter = { ...where, tokenNumber: { $gt: after } };
      const found = entries.find(filter, { projection: { audits: 0 } });
      return (await found.sort({ tokenNumber: 1 }).limit(limit).toArray()).map(recordOf);
    },

    async groups({ businessId, date, queueId }, tokenNumber) {
      const found = entries.aggregate([
        { $match: { businessId, date, queueId } },
        {
          $group: {
            _id: { status: "$status", priority: "$priority", workMinutes: "$workMinutes" },
            entries: { $sum: 1 },
            before: { $sum: { $cond: [{ $lt: ["$tokenNumber", tokenNumber] }, 1, 0] } },
            finishedMs: { $sum: { $subtract: ["$completedAt", "$startedAt"] } },
          },
        },
      ]);
      return (await found.toArray()).map(({ _id, ...rest }) => ({ ..._id, ...rest }) as never);
    },

    async last({ businessId, date, queueId }) {
      const highest = async (filter: object, field: string) => {
        const projection = { _id: 0, [field]: 1 };
        const found = await entries.findOne(filter, { projection, sort: { [field]: -1 } });
        return Number(found?.[field] ?? 0);
      };
      const [number, place] = await Promise.all([
        highest({ businessId, date, queueId }, "tokenNumber"),
        highest({ businessId, date }, "placeInDay"),
      ]);
      return { number, place };
    },

    async charge(before, { startedAt, requests, writes }) {
      const after = { $set: { startedAt, requests, writes } };
      return (await collection("windows").updateOne(docOf(before), after)).matchedCount === 1;
    },

    /** The audit row of a creation is in the document of its entry, so that one command writes both. */
    async insert(table, record, audit) {
      const doc = { ...docOf(record), ...(audit && { audits: [audit] }) };
      try {
        await collection(table).insertOne(doc);
        return true;
      } catch (error) {
        if ((error as { code?: number }).code === 11000) return false;
        throw error;
      }
    },
  };
}
