import { isDeepStrictEqual } from "node:util";
import type { Model, mongo } from "mongoose";
import { StoreOpenError } from "../errors.js";
import type { Database } from "./connection.js";
import { isUnavailable } from "./guard.js";

/** An index that a collection has or should have. */
type Index = mongo.IndexDescription & { readonly name: string };

/** Any model: only its schema and its indexes are used. */
type AnyModel = Pick<Model<unknown>, "schema" | "collection">;

/** Whether a database has no collections yet. */
export async function isEmpty({ connection }: Database): Promise<boolean> {
  return (await connection.listCollections()).length === 0;
}

/**
 * Creates the missing indexes, those of a collection in one command. An index that differs is not changed;
 * `verifyIndexes` reports it.
 */
export async function makeIndexes(db: Database): Promise<void> {
  for (const model of modelsOf(db)) {
    const missing = await missingFrom(model);
    if (missing.length === 0) continue;
    try {
      await model.collection.createIndexes(missing);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      // Another instance may have created them at the same time.
      const names = (await missingFrom(model)).map(({ name }) => name);
      if (names.length === 0) continue;
      const { message } = error as Error;
      throw new StoreOpenError(
        `The indexes ${names.join(", ")} of ${model.collection.collectionName} cannot be made (${message}).`,
      );
    }
  }
}

async function missingFrom(model: AnyModel): Promise<Index[]> {
  const there = await indexesOf(model);
  return wanted(model).filter(({ name }) => !there.has(name));
}

/** @throws StoreOpenError with the first index that is missing or differs. */
export async function verifyIndexes(db: Database): Promise<void> {
  for (const model of modelsOf(db)) {
    const there = await indexesOf(model);
    for (const index of wanted(model)) {
      const found = there.get(index.name);
      if (isDeepStrictEqual(found, index)) continue;
      const name = `The index ${index.name} of the collection ${model.collection.collectionName}`;
      throw new StoreOpenError(
        found
          ? `${name} differs from what it must be. Drop it, then run: queue-api database prepare`
          : `${name} is missing. Make it with: queue-api database prepare`,
      );
    }
  }
}

function modelsOf({ connection, reconnect, close, ...models }: Database): AnyModel[] {
  return Object.values(models) as unknown as AnyModel[];
}

/** The indexes that a schema declares. */
function wanted({ schema }: AnyModel): Index[] {
  return schema.indexes().map(([key, options]) => described({ key, ...options }));
}

async function indexesOf({ collection }: AnyModel): Promise<ReadonlyMap<string, Index>> {
  try {
    const indexes = await collection.listIndexes().toArray();
    return new Map(indexes.map((index) => [index.name, described(index)]));
  } catch (error) {
    if ((error as { code?: unknown }).code === 26) return new Map(); // no collection yet
    throw error;
  }
}

/** The parts of an index that matter. */
function described({ name, key, unique, partialFilterExpression }: mongo.Document): Index {
  return {
    name,
    key,
    ...(unique && { unique }),
    ...(partialFilterExpression && { partialFilterExpression }),
  };
}
