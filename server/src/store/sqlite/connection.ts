import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { DatabaseFile } from "./database-file.js";

/** A value that can be bound to a statement. There is no boolean, because `node:sqlite` refuses it. */
export type Value = string | number | null;

/** Runs a query whose only column is JSON text, and returns the first row's value, or null. */
export type Query<Row> = (...values: Value[]) => Row | null;

/** Runs a statement and returns how many rows it changed. */
export type Command = (...values: Value[]) => number;

/**
 * How long SQLite itself waits for another process before it reports that the database is busy. This blocks
 * the whole process, so callers that can wait longer retry.
 */
const busyTimeoutMs = 20;

/**
 * One connection. SQLite returns rows as one JSON text, because the driver truncates a plain text column at a NUL
 * character, and building a row value by value is slower than parsing.
 */
export class Connection {
  readonly #database: DatabaseSyncInstance;
  readonly #file: DatabaseFile;

  constructor(path: string) {
    this.#file = new DatabaseFile(path);
    this.#database = new DatabaseSync(this.#file.path, { timeout: busyTimeoutMs });
  }

  /** Checks that the files of the database are in place; see {@link DatabaseFile.assertInPlace}. */
  assertInPlace(): void {
    this.#file.assertInPlace();
  }

  /** Whether a transaction is open. SQLite ends a transaction automatically when the disk is full or fails. */
  get inTransaction(): boolean {
    return this.#database.isOpen && this.#database.isTransaction;
  }

  query<Row>(sql: string): Query<Row> {
    const statement = this.#prepare(sql);
    return (...values) => {
      const row = statement.get(...values.map(bound)) as [json: string | null] | undefined;
      return row?.[0] ? (JSON.parse(row[0]) as Row) : null;
    };
  }

  command(sql: string): Command {
    const statement = this.#prepare(sql);
    return (...values) => statement.run(...values.map(bound)).changes;
  }

  /** Runs statements and ignores their results. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** The first column of a statement's first row. */
  value(sql: string): unknown {
    return (this.#prepare(sql).get() as unknown[] | undefined)?.[0];
  }

  /**
   * Runs queries on one snapshot of the database, regardless of writes by other processes. Calls without a wait
   * in between share the snapshot, because beginning one takes as long as a short query.
   */
  reading<Result>(queries: () => Result): Result {
    if (!this.inTransaction) this.exec("BEGIN");
    queueMicrotask(() => this.#endReading());
    return queries();
  }

  /** The reads have their results, so a failure is none of theirs. The end of the next read tries again. */
  #endReading(): void {
    try {
      if (this.inTransaction) this.exec("COMMIT");
    } catch {}
  }

  /** Writes one page without changing data. Fails if any other write would fail. */
  touch(): void {
    this.exec(`PRAGMA user_version = ${Number(this.value("PRAGMA user_version"))}`);
  }

  /** Moves the content of the write-ahead log into the file, which is then complete without the log. */
  checkpoint(): void {
    this.value("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  /** Closes the connection. The files stay open until the statements are garbage or the thread ends. */
  close(): void {
    this.#database.close();
  }

  #prepare(sql: string) {
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    // It has a pointer to its database, and does not keep it from being garbage.
    return Object.assign(statement, { database: this.#database });
  }
}

/**
 * The driver ends a text at a NUL character, also when it binds one. Bytes arrive whole, and a column of texts casts
 * them; see `table.ts`.
 */
function bound(value: Value): Value | Uint8Array {
  return typeof value === "string" && value.includes("\0") ? Buffer.from(value) : value;
}
