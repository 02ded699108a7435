import type { mongo } from "mongoose";
import type { Collection } from "./connection.js";
import { duplicateOf } from "./unavailable.js";

interface Upsert<Doc> {
  /** The document before its first update; its `_id` identifies it. */
  readonly empty: mongo.OptionalUnlessRequiredId<Doc>;
  readonly update: readonly mongo.Document[];
  readonly projection: mongo.Document;
}

/**
 * Updates a document, which is created if it does not exist, and returns the result. Creation and update are
 * two commands, because servers handle two concurrent upserts differently, and with some of them the update
 * of one is lost.
 */
export async function upsert<Doc extends { readonly _id: string }>(
  { raw }: Collection<Doc>,
  { empty, update, projection }: Upsert<Doc>,
): Promise<mongo.WithId<Doc>> {
  const which = { _id: empty._id } as mongo.Filter<Doc>;
  for (;;) {
    const doc = await raw.findOneAndUpdate(which, [...update], {
      returnDocument: "after",
      projection,
    });
    if (doc) return doc;
    await raw.insertOne(empty).catch((error) => {
      if (duplicateOf(error) === null) throw error;
    });
  }
}
