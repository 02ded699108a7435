import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Clock } from "../../rules/ports.js";
import { StoreOpenError } from "../errors.js";
import type { Store } from "../store.js";
import { Connection } from "./connection.js";
import { migrate, schemaVersion } from "./migrate.js";
import { isBusy, isFull, isResult } from "./result-codes.js";
import { sqliteStore } from "./sqlite-store.js";

/**
 * How often a new connection tries to get a database that another process holds, and the pause between tries.
 */
const patience = 400;
const retryEveryMs = 25;

/** The size that the write-ahead log is truncated to after a large write. */
const logBytes = 16 * 1024 * 1024;

interface SqliteOptions {
  readonly clock: Clock;
  /** Milliseconds that have elapsed; see `StoreOptions`. */
  readonly elapsed: Clock;
  /** Whether to create the file if it does not exist. */
  readonly create: boolean;
}

/**
 * Opens the database in a file. Creates the file if it does not exist and `create` allows it, and migrates an
 * older schema.
 *
 * @throws StoreOpenError if the file does not exist and may not be created, belongs to another program, has a
 * newer version, or cannot be written. The file is then unchanged.
 */
export async function openSqlite(
  file: string,
  { clock, elapsed, create }: SqliteOptions,
): Promise<Store> {
  const path = resolve(file);
  if (!create && !existsSync(path)) {
    throw new StoreOpenError(
      `There is no database at ${path}. Name one that is there, or make it with: queue-api database prepare.`,
    );
  }
  const db = connect(path);
  try {
    for (let tries = 1; !setUp(db, path, tries === patience); tries++) {
      await setTimeout(retryEveryMs);
    }
    return sqliteStore(db, clock, elapsed);
  } catch (error) {
    db.close();
    throw error instanceof StoreOpenError ? error : new StoreOpenError(explain(error, path));
  }
}

function connect(path: string): Connection {
  try {
    const folder = dirname(path);
    makeFolder(folder);
    // Otherwise SQLite opens a file that is not writable, and the first write fails.
    for (const place of existsSync(path) ? [folder, path] : [folder]) {
      accessSync(place, constants.R_OK | constants.W_OK);
    }
    // The file contains names and phone numbers, so only its owner may read it. SQLite gives the log the same
    // mode.
    if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
    return new Connection(path);
  } catch (error) {
    throw new StoreOpenError(explain(error, path));
  }
}

/**
 * Creates a folder and its parents. Node's recursive option never ends where the system denies that a folder
 * exists.
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/** False if another process is setting the database up at the moment. */
function setUp(db: Connection, path: string, last: boolean): boolean {
  try {
    schemaVersion(db, path); // throws before anything is changed
    if (db.value("PRAGMA journal_mode = WAL") !== "wal") throw new Error("no write-ahead log");
    db.exec(`PRAGMA journal_size_limit = ${logBytes}`);
    migrate(db, path);
    return true;
  } catch (error) {
    if (!last && isBusy(error)) return false;
    throw error;
  }
}

function explain(error: unknown, path: string): string {
  if (isResult(error, "notADatabase")) return `${path} is not a database. Choose another file.`;
  if (isResult(error, "corrupt")) return `${path} is damaged. Restore it from a backup.`;
  const { code, message, errstr } = error as Error & { code?: string; errstr?: string };
  if (isFull(error) || code === "ENOSPC") {
    return `The disk of ${path} is full. Free some space and try again.`;
  }
  if (isBusy(error)) return `${path} is held by another program. Stop that program and try again.`;
  const place = isFileDenied(error, path)
    ? "the file can be read and written"
    : "its folder exists and can be written";
  return `Cannot open or write the database ${path}. Check that ${place} (${errstr ?? code ?? message}).`;
}

/** Whether the system denied access to the file itself and not to its folder. */
function isFileDenied(error: unknown, path: string): boolean {
  const denied = error as NodeJS.ErrnoException;
  return denied.code === "EACCES" && denied.path === path && existsSync(path);
}
