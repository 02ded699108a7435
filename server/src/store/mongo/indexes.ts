import { isDeepStrictEqual } from "node:util";
import type { mongo } from "mongoose";
import { StoreOpenError } from "../store-open-error.js";
import type { Collection, Database } from "./connection.js";
import { isUnavailable } from "./unavailable.js";

/** An index that a collection has or should have. */
interface Index {
  readonly name: string;
  readonly key: Readonly<Record<string, unknown>>;
  readonly unique: boolean;
  readonly partialFilterExpression: unknown;
}

/** Whether a database has no collections yet. */
export async function isEmpty({ connection }: Database): Promise<boolean> {
  return (await connection.listCollections()).length === 0;
}

/** Creates the missing indexes. An index that differs is not changed; `verifyIndexes` reports it. */
export async function makeIndexes(db: Database): Promise<void> {
  for (const collection of collectionsOf(db)) {
    const missing = await missingFrom(collection);
    if (missing.length === 0) continue;
    try {
      await collection.raw.createIndexes(missing.map(description));
    } catch (error) {
      if (isUnavailable(error)) throw error;
      // Another instance may have created them at the same time.
      const names = (await missingFrom(collection)).map(({ name }) => name);
      if (names.length === 0) continue;
      const { message } = error as Error;
      throw new StoreOpenError(
        `The indexes ${names.join(", ")} of ${collection.raw.collectionName} cannot be made (${message}).`,
      );
    }
  }
}

async function missingFrom(collection: AnyCollection): Promise<Index[]> {
  const there = new Set((await indexesOf(collection)).map(({ name }) => name));
  return wanted(collection).filter(({ name }) => !there.has(name));
}

function description({
  name,
  key,
  unique,
  partialFilterExpression,
}: Index): mongo.IndexDescription {
  return {
    name,
    key: key as Record<string, 1>,
    ...(unique && { unique }),
    ...(partialFilterExpression !== undefined && {
      partialFilterExpression: partialFilterExpression as mongo.Document,
    }),
  };
}

/** @throws StoreOpenError with the first index that is missing or differs. */
export async function verifyIndexes(db: Database): Promise<void> {
  for (const collection of collectionsOf(db)) {
    const there = new Map((await indexesOf(collection)).map((index) => [index.name, index]));
    for (const index of wanted(collection)) {
      const found = there.get(index.name);
      const name = `The index ${index.name} of the collection ${collection.raw.collectionName}`;
      if (!found) {
        throw new StoreOpenError(`${name} is missing. Make it with: queue-api database prepare`);
      }
      if (!isDeepStrictEqual(found, index)) {
        throw new StoreOpenError(
          `${name} differs from what it must be. Drop it, then run: queue-api database prepare`,
        );
      }
    }
  }
}

type AnyCollection = Pick<Collection<object>, "model" | "raw">;

function collectionsOf({ connection, now, ...collections }: Database): AnyCollection[] {
  return Object.values(collections) as unknown as AnyCollection[];
}

/** The indexes that a schema declares. */
function wanted({ model }: AnyCollection): Index[] {
  return model.schema.indexes().map(([key, options]) => ({
    name: options.name ?? "",
    key,
    unique: options.unique === true,
    partialFilterExpression: options.partialFilterExpression,
  }));
}

async function indexesOf({ raw }: AnyCollection): Promise<Index[]> {
  try {
    const indexes = await raw.listIndexes().toArray();
    return indexes.map(({ name, key, unique = false, partialFilterExpression }) => ({
      name,
      key,
      unique,
      partialFilterExpression,
    }));
  } catch (error) {
    if ((error as { code?: unknown }).code === 26) return []; // the collection does not exist yet
    throw error;
  }
}
