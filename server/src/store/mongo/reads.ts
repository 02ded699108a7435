import type { Key, Listing, ViewListing } from "../port.js";
import type { Stored, TableName } from "../tables.js";
import type { CommandRunner } from "./command-runner.js";
import type { Database } from "./connection.js";
import { documentPath, recordOf } from "./models.js";

type Condition = Readonly<Record<string, unknown>>;

/** Finds and lists records by their indexes. */
export function readsOf({ models }: Database, commands: CommandRunner) {
  return {
    async find<T extends TableName>(table: T, key: Key): Promise<Stored<T> | null> {
      const doc = await commands.repeatable(() =>
        models[table].findOne(keyFilter(table, key)).lean(),
      );
      return doc && recordOf(table, doc);
    },

    async list<T extends TableName>(
      table: T,
      listing: Listing | ViewListing,
    ): Promise<Stored<T>[]> {
      const { where, limit } = listing;
      const docs = await commands.repeatable(() =>
        models[table]
          .find({ $and: [keyFilter(table, where), ...positionConditions(table, listing)] })
          .select("without" in listing ? { [listing.without]: 0 } : {})
          .sort(orderOf(table, listing))
          .limit(limit)
          .batchSize(Math.min(limit, maxBatchSize))
          .lean(),
      );
      return docs.map((doc) => recordOf(table, doc));
    },
  };
}

/** The order of a list, as the database takes it. */
export function orderOf(
  table: TableName,
  { order = [], descending = false }: Listing,
): Record<string, 1 | -1> {
  const direction = descending ? -1 : 1;
  return Object.fromEntries(order.map((field) => [documentPath(table, field), direction]));
}

/** The most documents that one response has. */
const maxBatchSize = 10_000;

function keyFilter(table: TableName, key: Key | Listing["where"]): Condition {
  const values = Object.entries(key).map(
    ([field, value]) =>
      [documentPath(table, field), Array.isArray(value) ? { $in: value } : value] as const,
  );
  return Object.fromEntries(values);
}

/** The conditions on the order of a list: its range, and the position after which it goes on. */
export function positionConditions(
  table: TableName,
  { order = [], ...asked }: Listing,
): Condition[] {
  const { after, from, to, descending = false } = asked;
  const paths = order.map((field) => documentPath(table, field));
  const [first = ""] = paths;
  const conditions: Condition[] = [];
  if (from != null) conditions.push({ [first]: { $gte: from } });
  if (to != null) conditions.push({ [first]: { $lte: to } });
  if (after && after.length > 0) {
    const [beyond, beyondOrAt] = descending ? ["$lt", "$lte"] : ["$gt", "$gte"];
    const isAt = (depth: number) =>
      Object.fromEntries(paths.slice(0, depth).map((path, n) => [path, after[n]]));
    // The first condition bounds the part of the index that is read.
    conditions.push({ [first]: { [beyondOrAt]: after[0] } });
    conditions.push({
      $or: after.map((value, depth) => ({
        ...isAt(depth),
        [paths[depth] ?? ""]: { [beyond]: value },
      })),
    });
  }
  return conditions;
}
