import { statSync } from "node:fs";
import Database from "libsql";
import { StoreUnavailableError } from "../store-unavailable-error.js";

/** What can be bound to a statement. libsql ends the whole process over a boolean, so there is none. */
type Value = string | number | null;

/** Runs a query whose only column is JSON text, and returns the first row's value, or null. */
export type Query<Row> = (...values: Value[]) => Row | null;

/** Runs a statement and returns how many rows it changed. */
export type Command = (...values: Value[]) => number;

/**
 * How long SQLite itself waits for another process before it reports that the database is busy. It
 * waits with the whole process, so a caller that can wait longer tries again.
 */
const busyTimeoutMs = 20;

/** Identifies a file whatever its name. */
interface FileId {
  readonly device: bigint;
  readonly inode: bigint;
}

function fileId(path: string): FileId | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? { device: found.dev, inode: found.ino } : null;
}

/**
 * One connection. Rows come as one JSON text made by SQLite: libsql cuts a plain text column at a NUL
 * character, and building a row value by value costs more than parsing.
 */
export class Connection {
  readonly #database: Database.Database;
  readonly #path: string;
  /** The files that this connection opened, by path: the database, and its log from when it exists. */
  readonly #opened = new Map<string, FileId>();

  constructor(path: string) {
    this.#database = new Database(path, { timeout: busyTimeoutMs });
    this.#path = path;
    this.#remember(path);
  }

  /**
   * Checks that the files at this path are still the ones that this connection opened. SQLite goes on
   * writing to a file that was deleted or replaced, and everything written there is lost.
   *
   * @throws StoreUnavailableError when one of them is gone or another file is in its place.
   */
  assertInPlace(): void {
    // Not earlier: until this connection has read, the last one of another process may remove its log.
    const log = `${this.#path}-wal`;
    if (!this.#opened.has(log)) this.#remember(log);
    for (const [path, opened] of this.#opened) {
      const found = fileId(path);
      if (found?.inode === opened.inode && found.device === opened.device) continue;
      throw new StoreUnavailableError(
        `${path} was ${found ? "replaced" : "deleted"} while it was open. Nothing more is written to it. ` +
          "Put the original file back, or restart to use the one that is there.",
      );
    }
  }

  #remember(path: string): void {
    const found = fileId(path);
    if (found) this.#opened.set(path, found);
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

  /** Writes one page without changing anything. Fails as any other write would. */
  touch(): void {
    this.exec(`PRAGMA user_version = ${Number(this.value("PRAGMA user_version"))}`);
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
