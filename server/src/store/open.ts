import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock, systemElapsed } from "../lib/system.js";
import type { Clock, Random } from "../rules/ports.js";
import { isOnServer } from "./database-url.js";
import { StoreOpenError } from "./errors.js";
import { memoryStore } from "./memory/memory-store.js";
import { isSameFile } from "./sqlite/database-file.js";
import { openSqlite } from "./sqlite/open-sqlite.js";
import { openThreadedStore } from "./sqlite/threads/threaded-store.js";
import type { Store } from "./store.js";

/** What a store needs from its caller. */
export interface StoreOptions {
  /**
   * The time of windows and expiry. Default: the clock of this machine, or of the database server if
   * there is one. Tests pass a clock that they can move.
   */
  readonly clock?: Clock;
  /**
   * Milliseconds elapsed, by a monotonic clock. If the other clock leaps ahead of it, nothing expires.
   * Default: the machine's monotonic clock, or `clock` if it is given.
   */
  readonly elapsed?: Clock;
  /** For adapters that generate unique values. */
  readonly random: Random;
  /**
   * Whether to create missing indexes before the database is used. `always` suits a server at startup.
   * `when empty`, the default, does not change a database that contains data. `never` changes no database. An
   * index that is then missing is an error. The embedded stores always migrate to the newest schema.
   */
  readonly prepare?: "always" | "when empty" | "never";
  /**
   * Whether to create a SQLite file that does not exist, with its folder. Default true. If false, a missing
   * file is an error, so that a mistyped path is reported and does not become an empty database.
   */
  readonly create?: boolean;
  /**
   * Whether a SQLite file is used from separate threads, so that the event loop never waits for the disk.
   * Default false: for a short-lived program, starting threads takes too long.
   */
  readonly threads?: boolean;
  /**
   * Whether to open a database that is the target of an unfinished copy. Default false: such a database is
   * refused, because it is not complete.
   */
  readonly forCopy?: boolean;
}

/**
 * Opens the store of a database URL. `memory:` stores everything in this process until it ends. `file:` and a
 * path is a SQLite database, created if it does not exist unless the options forbid it. `mongodb:` and
 * `mongodb+srv:` is a database on a MongoDB server, for any number of instances.
 *
 * @throws StoreOpenError with one line that says what to do, or StoreUnavailableError if a server cannot be
 * reached at the moment.
 */
export async function openStore(databaseUrl: string, options: StoreOptions): Promise<Store> {
  const store = await openAny(databaseUrl, options);
  if (options.forCopy || !(await store.imports.isCopying())) return store;
  await store.close();
  throw new StoreOpenError(
    "The database is the target of a copy that did not end: run the same queue-api database copy again.",
  );
}

async function openAny(databaseUrl: string, options: StoreOptions): Promise<Store> {
  const {
    clock,
    elapsed = clock ?? systemElapsed,
    prepare = "when empty",
    create = true,
  } = options;
  if (databaseUrl === "memory:") return memoryStore(clock ?? systemClock, elapsed);
  if (databaseUrl.startsWith("file:")) {
    const path = pathOf(databaseUrl);
    const clocks = { clock: clock ?? systemClock, elapsed };
    if (!options.threads) return openSqlite(path, { ...clocks, create });
    const areSystems = options.clock === undefined && options.elapsed === undefined;
    return openThreadedStore(path, { clocks: areSystems ? null : clocks, create });
  }
  if (isOnServer(databaseUrl)) {
    // Loaded on demand, so that the embedded stores start without the MongoDB driver.
    const { openMongo } = await import("./mongo/open-mongo.js");
    return openMongo(databaseUrl, { prepare, elapsed, ...(clock && { clock }) });
  }
  throw new StoreOpenError(
    "The database URL must be memory:, file: with a path, or mongodb: with a server.",
  );
}

/** Whether two database URLs name the same database: one file, by any link, or one URL of a server. */
export function isSameDatabase(one: string, other: string): boolean {
  const areFiles = one.startsWith("file:") && other.startsWith("file:");
  return areFiles ? isSameFile(resolve(pathOf(one)), resolve(pathOf(other))) : one === other;
}

/**
 * The path of the file in a database URL, or null if the URL names no file. Throws StoreOpenError for an
 * invalid URL.
 */
export function fileOf(databaseUrl: string): string | null {
  return databaseUrl.startsWith("file:") ? pathOf(databaseUrl) : null;
}

/** The path in `file:relative/path`, `file:/absolute/path` and `file:///absolute/path`. */
function pathOf(fileUrl: string): string {
  const path = fileUrl.startsWith("file://") ? pathOfUrl(fileUrl) : fileUrl.slice("file:".length);
  if (path === "")
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
