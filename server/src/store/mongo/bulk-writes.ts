import { mongo } from "mongoose";
import type { Adapter } from "../port.js";
import { expiryFields, type TableName } from "../tables.js";
import type { EmbeddedAuditRows } from "./audit.js";
import type { CommandRunner } from "./command-runner.js";
import type { Database } from "./connection.js";
import { isConflict, isDuplicate } from "./errors.js";
import { docOf } from "./models.js";

/** How many documents one command inserts. */
const insertBatchSize = 1_000;

type Order = Readonly<Record<string, 1>>;

/** Adds and removes many records. Any of it may be done twice, and by several processes at the same time. */
export function bulkWritesOf(
  { models }: Database,
  commands: CommandRunner,
  embeddedRows: EmbeddedAuditRows,
): Pick<Adapter, "append" | "removeExpired" | "removeOfBusiness"> {
  /**
   * Changes the first documents that match a filter, and returns their number. Those that another
   * process changes first count too, so a number below the limit means that no more match.
   */
  async function changeFirst(
    table: TableName,
    filter: object,
    order: Order,
    limit: number,
    change: (these: object) => PromiseLike<unknown>,
  ): Promise<number> {
    if (limit === 0) return 0;
    const docs = await commands.repeatable(() =>
      models[table].find(filter, { _id: 1 }).sort(order).limit(limit).batchSize(limit).lean(),
    );
    const these = { ...filter, _id: { $in: docs.map(({ _id }) => _id) } };
    if (docs.length > 0) await commands.repeatable(() => change(these));
    return docs.length;
  }

  const remove = (table: TableName, filter: object, order: Order, limit: number) =>
    changeFirst(table, filter, order, limit, (these) => models[table].deleteMany(these));

  return {
    /** Those that are stored already stay as they are. mongoose validates them. */
    async append(table, records) {
      const options = { ordered: false, throwOnValidationError: true } as const;
      for (let start = 0; start < records.length; start += insertBatchSize) {
        const some = records.slice(start, start + insertBatchSize);
        const docs = some.map((record) => ({ ...docOf(table, record, 0), changes: [] }));
        await commands.repeatable(async () => {
          try {
            await models[table].insertMany(docs, options);
          } catch (error) {
            if (!isDuplicate(error) && !isConflict(error)) throw error;
            const conflict = writeErrorsOf(error).find((one) => !isDuplicate(one));
            if (conflict) throw conflict;
            const ids = { _id: { $in: docs.map(({ _id }) => _id) } };
            if ((await models[table].countDocuments(ids)) < docs.length) throw error;
          }
        });
      }
    },

    async removeExpired(table, before, limit) {
      const field = expiryFields[table];
      const ended = { [field]: { $exists: true, $lt: before } };
      const order = { [field]: 1 } as const;
      if (table === "entries") {
        return changeFirst(table, ended, order, limit, (these) =>
          models[table].updateMany(these, { $set: { keyed: null } }),
        );
      }
      const rows = table === "audit" ? await embeddedRows.remove({ before }, limit) : 0;
      return rows + (await remove(table, ended, order, limit - rows));
    },

    async removeOfBusiness(table, businessId, limit) {
      const rows = table === "audit" ? await embeddedRows.remove({ businessId }, limit) : 0;
      return rows + (await remove(table, { businessId }, {}, limit - rows));
    },
  };
}

/** The errors of the single writes of a command. */
function writeErrorsOf(error: unknown): readonly unknown[] {
  return error instanceof mongo.MongoBulkWriteError ? [error.writeErrors].flat() : [error];
}
