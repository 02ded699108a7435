import type { mongo } from "mongoose";
import type { Collection } from "./connection.js";
import { duplicateOf } from "./unavailable.js";

interface Upsert<Doc> {
  /** What stands there before the first update; its `_id` is the document's. */
  readonly empty: mongo.OptionalUnlessRequiredId<Doc>;
  readonly update: readonly mongo.Document[];
  readonly projection: mongo.Document;
}

/**
 * Updates a document, which is made if it is not there, and returns it as it is then. Making and
 * updating are two commands: servers differ in what the loser of two upserts at once does, and not
 * every one counts it.
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
