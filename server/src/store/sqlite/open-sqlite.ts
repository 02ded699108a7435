import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Clock } from "../../rules/ports.js";
import type { Store } from "../store.js";
import { StoreOpenError } from "../store-open-error.js";
import { Connection, isBusy } from "./connection.js";
import { migrate, schemaVersion } from "./migrate.js";
import { sqliteStore } from "./sqlite-store.js";

/** How often a new connection asks for a database that another process holds, and how long it waits in between. */
const patience = 400;
const retryEveryMs = 25;

/** To what the write-ahead log is cut back after something large was written. */
const logBytes = 16 * 1024 * 1024;

interface SqliteOptions {
  readonly clock: Clock;
  /** Milliseconds that have elapsed; see `StoreOptions`. */
  readonly elapsed: Clock;
  /** Whether to make the file when it is not there. */
  readonly create: boolean;
}

/**
 * Opens the database in a file, makes both when they are not there and may be made, and leads an older
 * schema forward.
 *
 * @throws StoreOpenError when there is no file and none may be made, or when it is not a database of
 * ours, is of a newer version, or cannot be written. The file is then left untouched.
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
    // SQLite would open what it cannot write, and fail at the first write.
    for (const place of existsSync(path) ? [folder, path] : [folder]) {
      accessSync(place, constants.R_OK | constants.W_OK);
    }
    // It holds names and phone numbers: for its owner alone, and so SQLite makes the log beside it.
    if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
    return new Connection(path);
  } catch (error) {
    throw new StoreOpenError(explain(error, path));
  }
}

/** Makes a folder and those above it. Node's own recursion never ends where the system denies a folder's existence. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/** False when another process is setting the database up just now. */
function setUp(db: Connection, path: string, last: boolean): boolean {
  try {
    schemaVersion(db, path); // before anything is changed
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
  const { code = "", message = "" } = error as { code?: string; message?: string };
  if (code === "SQLITE_NOTADB") return `${path} is not a database. Choose another file.`;
  if (code === "SQLITE_CORRUPT") return `${path} is damaged. Restore it from a backup.`;
  if (isBusy(error)) return `${path} is held by another program. Stop that program and try again.`;
  const place = isFileDenied(error, path)
    ? "the file can be read and written"
    : "its folder exists and can be written";
  return `Cannot open or write the database ${path}. Check that ${place} (${code || message}).`;
}

/** Whether the system denied the file itself and not its folder. */
function isFileDenied(error: unknown, path: string): boolean {
  const denied = error as NodeJS.ErrnoException;
  return denied.code === "EACCES" && denied.path === path && existsSync(path);
}
