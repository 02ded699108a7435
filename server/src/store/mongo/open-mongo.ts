import { systemElapsed } from "../../lib/system.js";
import { StoreOpenError, StoreUnavailableError } from "../errors.js";
import type { Opened, StoreOptions } from "../options.js";
import { inTime } from "./command-runner.js";
import { connect, type Database, optionsIn } from "./connection.js";
import { isUnavailable } from "./errors.js";
import { makeIndexes, verifyIndexes } from "./indexes.js";
import { mongoAdapter } from "./mongo-adapter.js";
import { ServerClock } from "./server-clock.js";

interface MongoOptions extends Pick<StoreOptions, "clock" | "elapsed" | "prepare" | "create"> {
  /** Called for each command that is sent; for tests. */
  readonly onCommand?: (command: Readonly<Record<string, unknown>>) => void;
}

/** Creates the missing indexes in a database. Only creating them has no time limit. */
async function prepareMongo(
  db: Database,
  url: string,
  { prepare = "when empty", create = true }: MongoOptions,
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
  const isEmpty = isOwn && (await inTime(() => db.models.businesses.exists({}))) === null;
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
export async function openMongo(url: string, options: MongoOptions): Promise<Opened> {
  if (!/^[^:]+:\/\/[^/]+\/[^?/]+/.test(url)) {
    throw new StoreOpenError(
      "The database URL names no database. Write its name after the server, as in mongodb://HOST/queue.",
    );
  }
  const { clock: given, elapsed = systemElapsed, onCommand } = options;
  try {
    const db = await connect(url, { onCommand });
    try {
      await prepareMongo(db, url, options);
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
  if (thrown instanceof StoreUnavailableError) return "no response";
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
