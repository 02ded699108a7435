import Database from "libsql";

/** What can be bound to a statement. libsql ends the whole process over a boolean, so there is none. */
type Value = string | number | null;

/** Runs a query whose only column is JSON text, and returns the first row's value, or null. */
export type Query<Row> = (...values: Value[]) => Row | null;

/** Runs a statement and returns how many rows it changed. */
export type Command = (...values: Value[]) => number;

/**
 * How long SQLite itself waits for another process before it reports that the database is busy. It
 * waits with the whole process, so whoever is ready to wait longer asks again.
 */
const busyTimeoutMs = 20;

/**
 * One connection. Rows come as one JSON text made by SQLite: libsql cuts a plain text column at a NUL
 * character, and building a row value by value costs more than parsing.
 */
export class Connection {
  readonly #database: Database.Database;

  constructor(path: string) {
    this.#database = new Database(path, { timeout: busyTimeoutMs });
  }

  /** Whether a transaction is open. SQLite ends one by itself when the disk is full or fails. */
  get inTransaction(): boolean {
    // libsql ends the whole process when a connection is asked that was closed
    return this.#database.open && this.#database.inTransaction;
  }

  query<Row>(sql: string): Query<Row> {
    const statement = this.#database.prepare(sql).raw();
    return (...values) => {
      const row = statement.get(values) as [json: string | null] | undefined;
      return row?.[0] ? (JSON.parse(row[0]) as Row) : null;
    };
  }

  command(sql: string): Command {
    const statement = this.#database.prepare(sql);
    return (...values) => statement.run(values).changes;
  }

  /** Runs statements that return nothing of interest. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** The first column of a statement's first row. */
  value(sql: string): unknown {
    return (this.#database.prepare(sql).raw().get() as unknown[] | undefined)?.[0];
  }

  /** Runs several queries on one state of the database, whatever other processes write meanwhile. */
  reading<Result>(queries: () => Result): Result {
    this.#database.exec("BEGIN");
    try {
      return queries();
    } finally {
      this.#database.exec("COMMIT");
    }
  }

  /** Moves what the write-ahead log holds into the file, which is then whole without it. */
  checkpoint(): void {
    this.value("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  close(): void {
    this.#database.close();
  }
}

/** Whether an error says that another process holds the database. */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY");
}
