import type { Adapter } from "../port.js";
import { appending, removingExpired, removingOfBusiness, sending, type Task } from "./commands.js";
import type { Connection } from "./connection.js";
import { readsOf } from "./reads.js";
import { schemaVersion } from "./schema.js";
import type { TaskWriter } from "./writer.js";

/** How many records one task appends, so that other writes get their turn in between. */
const appendBatchSize = 250;

/** A database in a file. `db`: the connection that reads; the writer has another one. */
export function sqliteAdapter(db: Connection, writer: TaskWriter): Adapter {
  return {
    ...readsOf(db),

    send: async (write) => ((await writer.write(sending(write))) === null ? "conflict" : "done"),

    async append(table, records) {
      for (let from = 0; from < records.length; from += appendBatchSize) {
        const batch = records.slice(from, from + appendBatchSize);
        const changes = await writer.write(appending(table, batch));
        if (changes === null) throw new Error(`another record of ${table} has the same values`);
      }
    },

    removeExpired: async (...asked) => (await writer.write(removingExpired(...asked))) ?? 0,
    removeOfBusiness: async (...asked) => (await writer.write(removingOfBusiness(...asked))) ?? 0,

    async maintain() {}, // the commits move the log into the database

    async ping() {
      await writer.write(touch);
    },

    async close() {
      db.close(); // first, because the last connection moves the log into the database
      await writer.close();
    },
  };
}

/** Writes one page without changing data. Fails if any other write would fail. */
const touch: Task = {
  commands: [{ sql: `PRAGMA user_version = ${schemaVersion}`, values: [] }],
  isExact: false,
  isDurable: false,
};
