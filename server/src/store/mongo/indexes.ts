import type { Model, mongo } from "mongoose";
import { StoreOpenError } from "../errors.js";
import { inTime } from "./command-runner.js";
import { isUnavailable } from "./errors.js";
import type { Doc, Models } from "./models.js";

/**
 * Creates the missing indexes, those of a collection in one command. An index that differs is not changed;
 * `verifyIndexes` reports it. `patient`: models without time limits, which create the indexes.
 */
export async function makeIndexes(models: Models, patient: Models): Promise<void> {
  for (const [name, model] of Object.entries(models)) {
    const { missing } = await compareIndexes(model);
    if (missing.length === 0) continue;
    try {
      await patient[name as keyof Models].collection.createIndexes(missing);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      // Another instance may have created them at the same time.
      const names = (await compareIndexes(model)).missing.map(({ name }) => name);
      if (names.length === 0) continue;
      const { message } = error as Error;
      throw new StoreOpenError(
        `The indexes ${names.join(", ")} of ${model.collection.collectionName} cannot be made (${message}).`,
      );
    }
  }
}

/** @throws StoreOpenError with the first index that is missing or differs. */
export async function verifyIndexes(models: Models): Promise<void> {
  for (const model of Object.values(models)) {
    const { missing, differing } = await compareIndexes(model);
    const [index] = [...differing, ...missing];
    if (!index) continue;
    const name = `The index ${index.name} of the collection ${model.collection.collectionName}`;
    throw new StoreOpenError(
      differing.includes(index)
        ? `${name} differs from what it must be. Drop it, then run: queue-api database prepare`
        : `${name} is missing. Make it with: queue-api database prepare`,
    );
  }
}

/** The indexes that a schema declares and its collection does not have, or has in another form. */
async function compareIndexes(model: Model<Doc>) {
  const compared: unknown = await inTime(() => model.diffIndexes({ indexOptionsToCreate: true }));
  const { toDrop, toCreate } = compared as {
    readonly toDrop: readonly string[];
    readonly toCreate: readonly [mongo.IndexSpecification, { readonly name: string }][];
  };
  const indexes = toCreate.map(([key, options]) => ({ ...options, key }) as Index);
  const isThere = ({ name }: Index) => toDrop.includes(name);
  return {
    missing: indexes.filter((index) => !isThere(index)),
    differing: indexes.filter(isThere),
  };
}

type Index = mongo.IndexDescription & { readonly name: string };
