import type { Access, Adapter, Listing, Reads } from "../port.js";
import type { Stored, TableName } from "../tables.js";
import { EmbeddedAuditRows, firstRows } from "./audit.js";
import { bulkWritesOf } from "./bulk-writes.js";
import { CommandRunner } from "./command-runner.js";
import type { Database } from "./connection.js";
import { lineOf } from "./line.js";
import { readsOf } from "./reads.js";
import { sendOf } from "./send.js";
import type { ServerClock } from "./server-clock.js";

/**
 * The records on a MongoDB server, for any number of instances. An operation is written by one command on one document,
 * which the server makes whole or not at all. There are no transactions, so a standalone server and a sharded cluster do
 * as well. Everything throws StoreUnavailableError if the database cannot be reached in time.
 */
export function mongoAdapter(db: Database, clock: ServerClock): Adapter {
  const commands = new CommandRunner(() => db.reconnect());
  const records = readsOf(db, commands);
  const embeddedRows = new EmbeddedAuditRows(db, commands, clock.now);
  const bulkWrites = bulkWritesOf(db, commands, embeddedRows);
  const readTime = () => commands.repeatable(() => clock.read());

  const reads: Reads = {
    ...records,
    ...lineOf(db, commands),

    async list<T extends TableName>(table: T, listing: Listing): Promise<Stored<T>[]> {
      const isLog = table === "audit" && listing.where.businessId !== undefined;
      if (!isLog) return records.list(table, listing);
      const inOrder = { ...listing, order: ["at", "id"] };
      // One after the other: a row moves from its document to the log.
      const inDocuments = await embeddedRows.list(inOrder);
      const inLog = await records.list("audit", inOrder);
      return firstRows([...inDocuments, ...inLog], inOrder) as never;
    },
  };
  const access: Access = { ...reads, send: sendOf(db, commands) };

  return {
    ...reads,
    ...bulkWrites,

    isSerial: false,
    runOnce: (operation) => operation(access),

    async maintain() {
      await readTime();
      await embeddedRows.move((rows) => bulkWrites.append("audit", rows));
    },

    async ping() {
      await readTime();
    },

    close: () => db.close(),
  };
}
