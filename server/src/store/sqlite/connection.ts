import { setTimeout as pause } from "node:timers/promises";
import {
  DatabaseSync,
  type DatabaseSyncInstance,
  type StatementSyncInstance,
} from "@photostructure/sqlite";
import type { SqlValue } from "./table.js";

/** A statement and the values of its parameters. */
export interface Command {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** The most statements that are kept. The operations need far fewer. */
const maxStatements = 500;

/** One connection to a database, with its statements. */
export class Connection {
  readonly #database: DatabaseSyncInstance;
  readonly #statements = new Map<string, StatementSyncInstance>();

  /** `timeout`: how long SQLite blocks the thread while another process holds a lock, in milliseconds. */
  constructor(path: string, timeout: number) {
    this.#database = new DatabaseSync(path, { timeout, returnArrays: true });
    // By default, a task that changes many pages needs a file in the system's temporary folder, which may be full.
    this.#database.exec("PRAGMA temp_store = MEMORY");
  }

  /** Whether a transaction is open. SQLite ends one when the disk is full or fails. */
  get isTransaction(): boolean {
    return this.#database.isOpen && this.#database.isTransaction;
  }

  /** The rows of a query. */
  all({ sql, values }: Command): SqlValue[][] {
    return this.#statement(sql).all(...values) as SqlValue[][];
  }

  /** Runs a statement, and returns how many rows it changed. */
  run({ sql, values }: Command): number {
    return this.#statement(sql).run(...values).changes;
  }

  /** Runs statements that have no parameters. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /**
   * The value of a query. A prepared statement would keep the file open after `close`, until the garbage collector removes
   * the statement. `exec` ends its statements, and a function receives what it selects.
   */
  value(query: string): SqlValue | undefined {
    let value: SqlValue | undefined;
    this.#database.function("found", (found: SqlValue) => {
      value = found;
      return null;
    });
    this.#database.exec(`SELECT found((${query}))`);
    return value;
  }

  close(): void {
    this.#database.close();
  }

  #statement(sql: string): StatementSyncInstance {
    const known = this.#statements.get(sql);
    if (known) return known;
    if (this.#statements.size === maxStatements) this.#statements.clear();
    const statement = this.#database.prepare(sql);
    // A statement does not keep its database alive, and must not be left without one by the garbage collector.
    Object.assign(statement, { database: this.#database });
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** The result codes of SQLite that this program acts on; see https://sqlite.org/rescode.html. */
export const resultCodes = {
  busy: 5,
  ioError: 10,
  corrupt: 11,
  full: 13,
  constraint: 19,
  notADatabase: 26,
  primaryKey: 1555,
  unique: 2067,
} as const;

/** The extended result code of an error of SQLite; undefined for any other error. */
function extendedCode(error: unknown): number | undefined {
  return (error as { errcode?: number } | null)?.errcode;
}

/** The result code of an error of SQLite; undefined for any other error. */
export function resultCode(error: unknown): number | undefined {
  const code = extendedCode(error);
  return code === undefined ? undefined : code & 0xff;
}

/** Whether another process holds the lock that a statement needs. The errors of `all` have a message and no code. */
export function isBusy(error: unknown): boolean {
  return (
    resultCode(error) === resultCodes.busy ||
    (error as Error | null)?.message === "database is locked"
  );
}

/** The pause between two tries for a lock that another process holds, in milliseconds. */
const retryDelayMs = 25;

/** Repeats work while another process holds the lock that it needs. The last of `maxTries` throws its error. */
export async function whileBusy<Result>(maxTries: number, work: () => Result): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || tries === maxTries) throw error;
    }
    await pause(retryDelayMs);
  }
}

/** Whether another record has the same values in a unique index. */
export function isTaken(error: unknown): boolean {
  const code = extendedCode(error);
  return code === resultCodes.unique || code === resultCodes.primaryKey;
}
