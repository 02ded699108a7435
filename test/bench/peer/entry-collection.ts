import type { Entry, EntryWithPosition } from "@queue-api/contract";
import mongoose from "mongoose";

/** The JSON of an entry, as it is sent, under its id and its queue's. */
type EntryDocument = EntryWithPosition & { readonly _id: string; readonly queueId: string };

export type EntryCollection = Awaited<ReturnType<typeof openCollection>>;

/** The peer's one collection, as durable as ours. What it sends lies ready in it. */
export async function openCollection(databaseUrl: string) {
  const client = await mongoose.mongo.MongoClient.connect(databaseUrl, {
    maxPoolSize: 50, // as ours
    writeConcern: { w: "majority" },
  });
  const entries = client.db().collection<EntryDocument>("bare_entries");
  await entries.createIndex({ queueId: 1, tokenNumber: 1 });
  return {
    find: (id: string) =>
      entries.findOne<EntryWithPosition>({ _id: id }, { projection: { _id: 0, queueId: 0 } }),

    page: (queueId: string, limit: number) =>
      entries
        .find({ queueId })
        .project<Entry>({ _id: 0, queueId: 0, position: 0 })
        .sort({ tokenNumber: 1 })
        .limit(limit)
        .toArray(),

    async insert(queueId: string, entry: EntryWithPosition): Promise<void> {
      await entries.insertOne({ _id: entry.id, queueId, ...entry });
    },

    async fill(queueId: string, all: readonly EntryWithPosition[]): Promise<void> {
      if (all.length === 0) return;
      await entries.insertMany(all.map((entry) => ({ _id: entry.id, queueId, ...entry })));
    },
  };
}
