import type { Write } from "../port.js";
import { expiryFields, primaryKeys, type TableName, type Tables } from "../tables.js";
import type { Command } from "./connection.js";
import { tables } from "./schema.js";
import { columnOf, type SqlValue, type Table } from "./table.js";

/** What is written together, or not at all. Plain data, which can be sent to another thread. */
export interface Task {
  readonly commands: readonly Command[];
  /** Whether each command must change a row. If one does not, nothing is written: the task met a conflict. */
  readonly isExact: boolean;
  /** Whether it must survive a power cut, and not only the end of the process. */
  readonly isDurable: boolean;
}

/**
 * Windows, and audit rows without a change, need not survive a power cut by themselves: later writes that must are
 * behind them in the log, so they take them along.
 */
const isDurable = (table: TableName) => table !== "windows" && table !== "audit";

/** The write of an operation with its audit row. */
export function sending(write: Write): Task {
  const { table, audit } = write;
  const commands = [commandOf(write), ...(audit ? [insertion("audit", audit)] : [])];
  return { commands, isExact: true, isDurable: isDurable(table) };
}

/** Records that are added unless they are there. */
export function appending<T extends TableName>(table: T, records: readonly Tables[T][]): Task {
  const commands = records.map((record) =>
    insertion(table, record, `ON CONFLICT (${primaryKeys[table]}) DO NOTHING`),
  );
  return { commands, isExact: false, isDurable: isDurable(table) };
}

export function removingExpired(
  table: keyof typeof expiryFields,
  before: number,
  limit: number,
): Task {
  const column = columnOf(expiryFields[table]);
  const which = `${column} < ? ORDER BY ${column}`;
  const action =
    table === "entries"
      ? `UPDATE ${table} SET key = NULL, fingerprint = NULL, receipt = NULL, kept_until = NULL`
      : `DELETE FROM ${table}`;
  return limited(table, action, which, [before, limit]);
}

export function removingOfBusiness(table: TableName, businessId: string, limit: number): Task {
  return limited(table, `DELETE FROM ${table}`, "business_id = ?", [businessId, limit]);
}

/** A change of the first records that a condition selects. */
function limited(table: TableName, action: string, which: string, values: SqlValue[]): Task {
  const primary = primaryKeys[table];
  const sql = `${action} WHERE ${primary} IN (SELECT ${primary} FROM ${table} WHERE ${which} LIMIT ?)`;
  return { commands: [{ sql, values }], isExact: false, isDurable: isDurable(table) };
}

function commandOf(write: Write): Command {
  if (write.kind === "insert") return insertion(write.table, write.record);
  const { table, before } = write;
  const primary = primaryKeys[table];
  const isAsRead = `WHERE ${primary} = ? AND version = ?`;
  const asRead = [
    (before as unknown as Record<string, SqlValue>)[primary] as SqlValue,
    before.version,
  ];
  if (write.kind === "remove") {
    return { sql: `DELETE FROM ${table} ${isAsRead}`, values: asRead };
  }
  // columns that stay the same are left out, so that SQLite leaves their indexes alone
  const changes = mapping(table).changes(before, write.record);
  const sets = [...changes.map(([column]) => `${column} = ?`), "version = version + 1"].join(", ");
  const values = [...changes.map(([, value]) => value), ...asRead];
  return { sql: `UPDATE ${table} SET ${sets} ${isAsRead}`, values };
}

function insertion<T extends TableName>(table: T, record: Tables[T], conflict = ""): Command {
  const { columns } = tables[table];
  const placeholders = columns.map(() => "?").join(", ");
  const sql = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${placeholders}) ${conflict}`;
  return { sql, values: [...mapping(table).values(record), 0] };
}

function mapping<T extends TableName>(table: T): Table<T> {
  return tables[table] as unknown as Table<T>;
}
