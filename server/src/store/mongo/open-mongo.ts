import { systemElapsed } from "../../lib/system.js";
import type { Clock } from "../../rules/ports.js";
import { StoreOpenError, StoreUnavailableError } from "../errors.js";
import type { Adapter } from "../port.js";
import { connect, type Database, optionsIn } from "./connection.js";
import { isUnavailable } from "./errors.js";
import { makeIndexes, verifyIndexes } from "./indexes.js";
import { mongoAdapter } from "./mongo-adapter.js";
import { ServerClock } from "./server-clock.js";

export interface MongoOptions {
  /** A clock that replaces the database's time; for tests. */
  readonly clock?: Clock;
  /** Milliseconds elapsed; see `StoreOptions`. Default: the machine's monotonic clock. */
  readonly elapsed?: Clock;
  /** When to create missing indexes; see `StoreOptions`. */
  readonly prepare: "always" | "when empty" | "never";
  /** Whether an empty database may be prepared. Default: true. */
  readonly create?: boolean;
  /** Called for each command that is sent; for tests. */
  readonly onCommand?: (command: Readonly<Record<string, unknown>>) => void;
}

/** An open database. */
export interface Opened {
  readonly adapter: Adapter;
  /** The time of the database server, unless another clock was given. `ping` and `maintain` read it again. */
  readonly clock: Clock;
}

/** Creates the missing indexes in a database. Only creating them has no time limit. */
async function prepareMongo(
  db: Database,
  url: string,
  prepare: MongoOptions["prepare"],
  create: boolean,
): Promise<void> {
  if (prepare === "never") return;
  const collections = await db.collections();
  if (!create && collections.length === 0) {
    throw new StoreOpenError(
      "There is no such database on the MongoDB server. Name an existing one, or create it with: queue-api database prepare.",
    );
  }
  // Another process may be creating the indexes of an empty database now, and have created some of its collections.
  const isOwn = collections.every((name) => name in db.models);
  const isEmpty = isOwn && (await db.models.businesses.exists({})) === null;
  if (prepare !== "always" && !isEmpty) return;
  const patient = await connect(url, { patient: true });
  try {
    await makeIndexes(db.models, patient.models);
  } finally {
    await patient.close();
  }
}

/**
 * Connects to the database of a URL, and creates or verifies its indexes.
 *
 * @throws StoreUnavailableError if it cannot be reached, StoreOpenError if it cannot be used.
 */
export async function openMongo(
  url: string,
  { clock: given, elapsed = systemElapsed, prepare, create = true, onCommand }: MongoOptions,
): Promise<Opened> {
  if (!/^[^:]+:\/\/[^/]+\/[^?/]+/.test(url)) {
    throw new StoreOpenError(
      "The database URL names no database. Write its name after the server, as in mongodb://HOST/queue.",
    );
  }
  try {
    const db = await connect(url, { onCommand });
    try {
      await prepareMongo(db, url, prepare, create);
      await verifyIndexes(db.models);
      const clock = new ServerClock(() => db.serverTime(), elapsed);
      await clock.start();
      return { adapter: mongoAdapter(db, clock), clock: given ?? clock.now };
    } catch (error) {
      await db.close();
      throw error;
    }
  } catch (error) {
    if (error instanceof StoreOpenError) throw error;
    const reason = reasonOf(error, url);
    if (isUnavailable(error)) {
      throw new StoreUnavailableError(
        `The MongoDB server cannot be reached (${reason}). Start it, or correct the database URL.`,
        { cause: error },
      );
    }
    throw new StoreOpenError(
      `The MongoDB database cannot be used (${reason}). Correct the database URL.`,
    );
  }
}

/** Why a database cannot be opened. The driver's message may quote the URL and its password, so it is not repeated. */
function reasonOf(thrown: unknown, url: string): string {
  const error = thrown as Error & { code?: unknown; codeName?: string; reason?: Topology };
  if (error.name === "MongoParseError") {
    const named = new Set(error.message.match(/\w+/g));
    const option = optionsIn(url.slice(url.lastIndexOf("@") + 1)).find(([name]) => named.has(name));
    if (option) return `the option ${option[0]}`;
  }
  if (error.reason?.type === "ReplicaSetNoPrimary") return "no primary of that replica set";
  const [server] = error.reason?.servers.values() ?? [];
  if (server) return server.error?.cause?.code ?? "no response";
  return String(error.codeName ?? error.code ?? error.name);
}

/** What an error of the driver says of the servers that it tried. */
interface Topology {
  readonly type: string;
  readonly servers: ReadonlyMap<
    string,
    { readonly error: (Error & { cause?: { code?: string } }) | null }
  >;
}
