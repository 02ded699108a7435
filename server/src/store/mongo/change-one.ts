import type { mongo } from "mongoose";

/** A document with an id that belongs to a business. */
interface OwnedDoc {
  readonly _id: string;
  readonly businessId: string;
}

/** A document of a business after a change of some of its fields; null if there is none with that id. */
export async function changeOne<Doc extends OwnedDoc>(
  collection: mongo.Collection<Doc>,
  businessId: string,
  id: string,
  change: NoInfer<Partial<Doc>>,
): Promise<mongo.WithId<Doc> | null> {
  const which = { _id: id, businessId } as mongo.Filter<Doc>;
  if (Object.keys(change).length === 0) return collection.findOne(which); // MongoDB refuses an empty $set
  const update = { $set: change } as mongo.UpdateFilter<Doc>;
  return collection.findOneAndUpdate(which, update, { returnDocument: "after" });
}
