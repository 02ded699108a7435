import { RunAgain } from "../errors.js";
import type { Write } from "../port.js";
import { expiryFields, primaryKeys, type TableName, type Tables } from "../tables.js";
import { type Command, type Connection, isTaken } from "./connection.js";
import { schemaVersion, tables } from "./schema.js";
import { columnOf, type SqlValue, type Table } from "./table.js";

/*
 * The writes of the adapter, each within a transaction that the writer has begun.
 */

/**
 * Writes a record with its audit row.
 *
 * @throws RunAgain if the record has another version, or a unique index has its values. The transaction must then be
 * undone.
 */
export function send(db: Connection, write: Write): void {
  const { audit } = write;
  const commands = [commandOf(write), ...(audit ? [insertion("audit", audit)] : [])];
  try {
    for (const command of commands) if (db.run(command) === 0) throw new RunAgain();
  } catch (error) {
    throw isTaken(error) ? new RunAgain() : error;
  }
}

/** Adds records that are not there yet. */
export function append<T extends TableName>(
  db: Connection,
  table: T,
  records: readonly Tables[T][],
): void {
  try {
    for (const record of records) {
      db.run(insertion(table, record, `ON CONFLICT (${primaryKeys[table]}) DO NOTHING`));
    }
  } catch (error) {
    throw isTaken(error) ? new Error(`another record of ${table} has the same values`) : error;
  }
}

export function removeExpired(
  db: Connection,
  table: keyof typeof expiryFields,
  before: number,
  limit: number,
): number {
  const column = columnOf(expiryFields[table]);
  const which = `${column} < ? ORDER BY ${column}`;
  const action =
    table === "entries"
      ? `UPDATE ${table} SET key = NULL, fingerprint = NULL, receipt = NULL, kept_until = NULL`
      : `DELETE FROM ${table}`;
  return db.run(limited(table, action, which, [before, limit]));
}

export function removeOfBusiness(
  db: Connection,
  table: TableName,
  businessId: string,
  limit: number,
): number {
  return db.run(limited(table, `DELETE FROM ${table}`, "business_id = ?", [businessId, limit]));
}

/** Writes one page without changing data. Fails if any other write would fail. */
export function touch(db: Connection): void {
  db.exec(`PRAGMA user_version = ${schemaVersion}`);
}

/** A change of the first records that a condition selects. */
function limited(table: TableName, action: string, which: string, values: SqlValue[]): Command {
  const primary = primaryKeys[table];
  const sql = `${action} WHERE ${primary} IN (SELECT ${primary} FROM ${table} WHERE ${which} LIMIT ?)`;
  return { sql, values };
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
