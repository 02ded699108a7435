import type { Access, Adapter } from "../port.js";
import { append, removeExpired, removeOfBusiness, send, touch } from "./commands.js";
import type { Connection } from "./connection.js";
import { readsOf } from "./reads.js";
import type { Writer } from "./writer.js";

/** How many records one transaction appends, so that other writes get their turn in between. */
const appendBatchSize = 250;

/**
 * A database in a file. `db`: the connection of views, which see what is committed. Operations read from the connection
 * that writes, in the transaction of their write.
 */
export function sqliteAdapter(db: Connection, writer: Writer): Adapter {
  const own = writer.db;
  const access: Access = { ...readsOf(own), send: async (write) => send(own, write) };

  return {
    ...readsOf(db),

    isSerial: true,
    runOnce: (operation, isDurable) => writer.run(() => operation(access), isDurable),

    async append(table, records) {
      // Rows of reads need not survive a power cut by themselves: later writes that must are behind them in the log.
      const isDurable = table !== "audit";
      for (let from = 0; from < records.length; from += appendBatchSize) {
        const batch = records.slice(from, from + appendBatchSize);
        await writer.run(() => append(own, table, batch), isDurable);
      }
    },

    removeExpired: (table, ...asked) => writer.run(() => removeExpired(own, table, ...asked), true),
    removeOfBusiness: (table, ...asked) =>
      writer.run(() => removeOfBusiness(own, table, ...asked), true),

    async maintain() {}, // the commits move the log into the database

    ping: () => writer.run(() => touch(own), false),

    async close() {
      db.close(); // first, because the last connection moves the log into the database
      writer.close();
    },
  };
}
