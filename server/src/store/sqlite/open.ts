import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { StoreOpenError } from "../errors.js";
import type { StoreOptions } from "../options.js";
import type { Adapter } from "../port.js";
import { sqliteAdapter } from "./adapter.js";
import { Connection, isBusy, resultCode, resultCodes, whileBusy } from "./connection.js";
import { applicationId } from "./database-file.js";
import { schema, schemaVersion } from "./schema.js";
import { Writer } from "./writer.js";

/** How often a database is tried that another process sets up or holds: for ten seconds. */
const maxTries = 400;

/**
 * Opens the database in a file.
 *
 * @throws StoreOpenError if the file does not exist and may not be created, belongs to another program, has a newer
 * version, or cannot be written. The file is then unchanged.
 */
export async function openSqlite(
  file: string,
  { create = true }: Pick<StoreOptions, "create">,
): Promise<Adapter> {
  const path = resolve(file);
  if (!create && !existsSync(path)) {
    throw new StoreOpenError(
      `There is no database at ${path}. Name an existing one, or create it with: queue-api database prepare.`,
    );
  }
  const db = connect(path);
  try {
    await whileBusy(maxTries, () => setUp(db, path));
    return sqliteAdapter(db, Writer.open(path));
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
    // The file contains names and phone numbers, so only its owner may read it. SQLite gives the log the same mode.
    if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
    return new Connection(path, 0);
  } catch (error) {
    throw new StoreOpenError(explain(error, path));
  }
}

/**
 * Creates a folder and its parents. Node's recursive option never ends where the system denies that a folder exists.
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error; // another process made it
  }
}

function setUp(db: Connection, path: string): void {
  isSetUp(db, path); // throws before anything is changed
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  if (db.value("SELECT journal_mode FROM pragma_journal_mode") !== "wal") {
    throw new Error("no write-ahead log");
  }
  if (!isSetUp(db, path)) createSchema(db, path);
  db.exec("PRAGMA query_only = ON"); // the writer has a connection of its own
}

/**
 * Whether a database has the schema; false if it is empty. Changes nothing.
 *
 * @throws StoreOpenError if the database belongs to another program or has another version.
 */
function isSetUp(db: Connection, path: string): boolean {
  const version = Number(db.value("SELECT user_version FROM pragma_user_version"));
  const isEmpty = db.value("SELECT count(*) FROM sqlite_schema") === 0;
  const id = db.value("SELECT application_id FROM pragma_application_id");
  if (!isEmpty && id !== applicationId) {
    throw new StoreOpenError(`${path} holds the database of another program. Choose another file.`);
  }
  if (version > schemaVersion) {
    throw new StoreOpenError(
      `${path} was written by a newer version of this service (schema ${version}, known up to ${schemaVersion}). Upgrade, or choose another file.`,
    );
  }
  return version === schemaVersion;
}

function createSchema(db: Connection, path: string): void {
  db.exec("BEGIN IMMEDIATE");
  try {
    if (!isSetUp(db, path)) {
      // another process may have created it
      db.exec(schema);
      db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}`);
    }
    db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

function explain(error: unknown, path: string): string {
  const { code = "", message = "" } = error as NodeJS.ErrnoException;
  const result = resultCode(error);
  if (result === resultCodes.notADatabase) {
    return `${path} is not a database. Choose another file.`;
  }
  if (result === resultCodes.corrupt) return `${path} is damaged. Restore it from a backup.`;
  if (result === resultCodes.full || code === "ENOSPC") {
    return `The disk of ${path} is full. Free some space and try again.`;
  }
  if (isBusy(error)) return `${path} is held by another program. Stop that program and try again.`;
  const place = isFileDenied(error, path)
    ? "the file can be read and written"
    : "its folder exists and can be written";
  const reason = result === undefined ? code || message : message;
  // SQLite does not say that the disk is full when it creates the index of the log.
  const room = result === resultCodes.ioError ? ", and that its disk has room" : "";
  return `Cannot open or write the database ${path}. Check that ${place}${room} (${reason}).`;
}

/** Whether the system denied access to the file itself and not to its folder. */
function isFileDenied(error: unknown, path: string): boolean {
  const denied = error as NodeJS.ErrnoException;
  return denied.code === "EACCES" && denied.path === path && existsSync(path);
}
