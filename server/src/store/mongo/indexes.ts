import { isDeepStrictEqual } from "node:util";
import type { Model, mongo } from "mongoose";
import { StoreOpenError } from "../store-open-error.js";
import type { Database } from "./connection.js";
import { isUnavailable } from "./guard.js";

/** An index that a collection has or should have. */
interface Index {
  readonly name: string;
  readonly key: Readonly<Record<string, unknown>>;
  readonly unique: boolean;
  readonly partialFilterExpression: unknown;
}

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
      await model.collection.createIndexes(missing.map(description));
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
  const there = new Set((await indexesOf(model)).map(({ name }) => name));
  return wanted(model).filter(({ name }) => !there.has(name));
}

function description({ key, unique, partialFilterExpression, name }: Index) {
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
  for (const model of modelsOf(db)) {
    const there = new Map((await indexesOf(model)).map((index) => [index.name, index]));
    for (const index of wanted(model)) {
      const found = there.get(index.name);
      const name = `The index ${index.name} of the collection ${model.collection.collectionName}`;
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

function modelsOf({ connection, ...models }: Database): AnyModel[] {
  return Object.values(models) as unknown as AnyModel[];
}

/** The indexes that a schema declares. */
function wanted({ schema }: AnyModel): Index[] {
  return schema.indexes().map(([key, options]) => ({
    name: options.name ?? "",
    key,
    unique: options.unique === true,
    partialFilterExpression: options.partialFilterExpression,
  }));
}

async function indexesOf({ collection }: AnyModel): Promise<Index[]> {
  try {
    const indexes = await collection.listIndexes().toArray();
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
