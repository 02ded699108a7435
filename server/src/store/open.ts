import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock, systemElapsed } from "../lib/system.js";
import { isOnServer } from "./database-url.js";
import { StoreOpenError } from "./errors.js";
import { memoryAdapter } from "./memory/memory-adapter.js";
import type { Opened, StoreOptions } from "./options.js";
import type { Port } from "./port.js";
import { portOn } from "./run.js";
import { isSameFile } from "./sqlite/database-file.js";
import { openSqlite } from "./sqlite/open.js";

/**
 * Opens the database of a URL. `memory:` stores everything in this process until it ends. `file:` and a path is a
 * SQLite database, created if it does not exist unless the options forbid it. `mongodb:` and `mongodb+srv:` is a
 * database on a MongoDB server, for any number of instances.
 *
 * @throws StoreOpenError with one line that says what to do, or StoreUnavailableError if a server cannot be
 * reached at the moment.
 */
export async function openDatabase(databaseUrl: string, options: StoreOptions): Promise<Port> {
  const { elapsed = options.clock ?? systemElapsed, random } = options;
  const { adapter, clock } = await openAdapter(databaseUrl, { ...options, elapsed });
  return portOn(adapter, { clock, elapsed, random });
}

async function openAdapter(databaseUrl: string, options: StoreOptions): Promise<Opened> {
  const { clock = systemClock } = options;
  if (databaseUrl === "memory:") return { adapter: memoryAdapter(), clock };
  if (databaseUrl.startsWith("file:")) {
    return { adapter: await openSqlite(databasePath(databaseUrl), options), clock };
  }
  if (isOnServer(databaseUrl)) {
    // Loaded on demand, so that the embedded stores start without the MongoDB driver.
    const { openMongo } = await import("./mongo/open-mongo.js");
    return openMongo(databaseUrl, options);
  }
  throw new StoreOpenError(
    "The database URL must be memory:, file: with a path, or mongodb: with a server.",
  );
}

/** Whether two database URLs name the same database: one file, by any link, or one URL of a server. */
export function isSameDatabase(one: string, other: string): boolean {
  const areFiles = one.startsWith("file:") && other.startsWith("file:");
  return areFiles
    ? isSameFile(resolve(databasePath(one)), resolve(databasePath(other)))
    : one === other;
}

/**
 * The path of the file in a database URL, or null if the URL names no file. Throws StoreOpenError for an
 * invalid URL.
 */
export function fileOf(databaseUrl: string): string | null {
  return databaseUrl.startsWith("file:") ? databasePath(databaseUrl) : null;
}

/** The path in `file:relative/path`, `file:/absolute/path` and `file:///absolute/path`. */
function databasePath(fileUrl: string): string {
  const path = fileUrl.startsWith("file://") ? pathOfUrl(fileUrl) : fileUrl.slice("file:".length);
  if (path === "" || path.startsWith("file:"))
    throw new StoreOpenError("The database URL file: must include the path of a file.");
  return path;
}

function pathOfUrl(fileUrl: string): string {
  try {
    return fileURLToPath(fileUrl);
  } catch {
    throw new StoreOpenError("The database URL must be a file URL like file:///path/to/file.db.");
  }
}
