import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock, systemElapsed } from "../lib/system.js";
import type { Clock, Random } from "../rules/ports.js";
import { isOnServer } from "./database-url.js";
import { memoryStore } from "./memory/memory-store.js";
import { openSqlite } from "./sqlite/open-sqlite.js";
import { openThreadedStore } from "./sqlite/threads/threaded-store.js";
import type { Store } from "./store.js";
import { StoreOpenError } from "./store-open-error.js";

/** What a store needs from outside. */
export interface StoreOptions {
  /**
   * The time that windows, leases and expiry go by. Default: the store's own, which is this machine's
   * clock, or the database server's where there is one. Tests hand in one that they can move.
   */
  readonly clock?: Clock;
  /**
   * Milliseconds that have elapsed, by a clock that nobody sets: a clock that leaps ahead of it expires
   * nothing. Default: the machine's, or the clock that is handed in.
   */
  readonly elapsed?: Clock;
  /** For adapters that have to make something unique of their own. */
  readonly random: Random;
  /**
   * Whether to make what the database lacks before it is used. `always` suits a server that starts;
   * `when empty`, the default, leaves a database with data in it as it is; `never` leaves any. What is
   * then missing is an error. The embedded stores are always led forward.
   */
  readonly prepare?: Prepare;
  /**
   * Whether a SQLite file that is not there is made, with its folder. Default true; without, it is an
   * error, so that a mistyped path is reported and does not become an empty database.
   */
  readonly create?: boolean;
  /**
   * Whether a SQLite file is used from threads of its own, so that the event loop never waits for the disk.
   * Default false: a program that ends soon has no use for threads, which take longer to start.
   */
  readonly threads?: boolean;
}

/** When a database server's indexes are made. */
type Prepare = "always" | "when empty" | "never";

/**
 * Opens the store that a database URL names: `memory:` keeps everything in this process and forgets it
 * at the end; `file:` and a path is a SQLite database, made when it is not there unless the options
 * say otherwise; `mongodb:` and `mongodb+srv:` is a database on a MongoDB server, for any number of instances.
 *
 * @throws StoreOpenError with one line that says what to do, StoreUnavailableError when a server that
 * may come back cannot be reached.
 */
export async function openStore(databaseUrl: string, options: StoreOptions): Promise<Store> {
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
    // Loaded when it is asked for: the embedded stores start without the weight of a driver.
    const { openMongo } = await import("./mongo/open-mongo.js");
    return openMongo(databaseUrl, { prepare, elapsed, ...(clock && { clock }) });
  }
  throw new StoreOpenError(
    "The database URL is not one of memory:, file: with a path, and mongodb: with a server.",
  );
}

/** Whether two database URLs name one database, judged by the URLs alone. */
export function isSameDatabase(one: string, other: string): boolean {
  const areFiles = one.startsWith("file:") && other.startsWith("file:");
  return areFiles ? resolve(pathOf(one)) === resolve(pathOf(other)) : one === other;
}

/** The path of the file that a database URL names, or null where it names none. Throws StoreOpenError for a wrong URL. */
export function fileOf(databaseUrl: string): string | null {
  return databaseUrl.startsWith("file:") ? pathOf(databaseUrl) : null;
}

/** The path in `file:relative/path`, `file:/absolute/path` and `file:///absolute/path`. */
function pathOf(fileUrl: string): string {
  const path = fileUrl.startsWith("file://") ? pathOfUrl(fileUrl) : fileUrl.slice("file:".length);
  if (path === "") throw new StoreOpenError("The database URL file: lacks the path of a file.");
  return path;
}

function pathOfUrl(fileUrl: string): string {
  try {
    return fileURLToPath(fileUrl);
  } catch {
    throw new StoreOpenError("The database URL is not a file URL like file:///path/to/file.db.");
  }
}
