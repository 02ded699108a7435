import mongoose, { type Connection, type Model, type mongo, type Schema } from "mongoose";
import { pruneStep } from "../port/imports.js";
import {
  appointmentSchema,
  auditSchema,
  businessSchema,
  entrySchema,
  importSchema,
  ownerSchema,
  windowSchema,
} from "./documents.js";
import { duplicateOf, repeatable } from "./guard.js";

/** Defaults that the URL may override, in milliseconds. */
export const connectionDefaults = {
  serverSelectionTimeoutMS: 3_000,
  connectTimeoutMS: 3_000,
  /** The interval between checks of each server. */
  heartbeatFrequencyMS: 2_000,
  /** How long a command may wait for a connection while the database is available. */
  waitQueueTimeoutMS: 10_000,
  /** How long a command may wait for its response. */
  socketTimeoutMS: 5_000,
  /** `minPoolSize` stays 0: a pool that reconnects during an election fails the retry of a request. */
  maxPoolSize: 50,
};

export interface ConnectOptions {
  /** Whether commands have no time limit. Default: false. */
  readonly patient?: boolean;
  /** Called for each command that is sent; for tests and benchmarks. */
  readonly onCommand?: ((command: mongo.Document) => void) | undefined;
}

/** A database with its collections. */
export type Database = ReturnType<typeof collectionsOf> & {
  readonly reconnect: () => void;
  readonly close: () => Promise<void>;
};

/** Connects to the database that a URL names. */
export async function connect(
  url: string,
  { patient = false, onCommand }: ConnectOptions = {},
): Promise<Database> {
  const given = optionsIn(url);
  const options = Object.entries(connectionDefaults).filter(
    ([name]) => !given.has(name.toLowerCase()),
  );
  if (patient) options.push(["socketTimeoutMS", 0]);
  const connection = mongoose.createConnection();
  // The handler is empty, because the command that fails reports the error.
  connection.on("error", () => {});
  const open = async () => {
    await connection.openUri(url, {
      ...Object.fromEntries(options),
      ...(given.has("w") ? {} : { writeConcern: { w: "majority" } }),
      autoIndex: false,
      autoCreate: false,
      bufferCommands: false,
      monitorCommands: onCommand !== undefined,
    });
    if (onCommand) {
      connection.getClient().on("commandStarted", ({ command }) => onCommand(command));
    }
  };
  try {
    await open();
  } catch (error) {
    await connection.destroy();
    throw error;
  }
  let isClosed = false;
  let connecting = Promise.resolve();
  const connectAgain = async () => {
    await connection.close().catch(() => {});
    if (!isClosed) await open().catch(() => {}); // the next command reports the error
  };
  return {
    ...collectionsOf(connection),
    /**
     * Connects again. If all connections close at once, the driver's monitor may wait for a socket that never
     * becomes writable, and then never finds the server again.
     */
    reconnect() {
      connecting = connectAgain();
    },
    async close() {
      isClosed = true;
      await connecting; // a connection that opens meanwhile would stay open
      await connection.close();
    },
  };
}

/** The names of the options in a URL, in lower case. */
function optionsIn(url: string): Set<string> {
  const names = new URLSearchParams(url.split("?")[1] ?? "").keys();
  return new Set([...names].map((name) => name.toLowerCase()));
}

function collectionsOf(connection: Connection) {
  const model = <Doc>(schema: Schema<Doc>): Model<Doc> => {
    return connection.model<Doc>(schema.get("collection") ?? "", schema);
  };
  return {
    connection,
    businesses: model(businessSchema),
    owners: model(ownerSchema),
    entries: model(entrySchema),
    appointments: model(appointmentSchema),
    audit: model(auditSchema),
    windows: model(windowSchema),
    imports: model(importSchema),
  };
}

/**
 * The driver's collection of a model, for inserts, reads and the updates of API requests: mongoose's own copy and
 * check what they send, which takes 0.1 ms a command.
 */
export function raw<Doc>({ collection }: Model<Doc>): mongo.Collection<Doc & mongo.Document> {
  return collection as unknown as mongo.Collection<Doc & mongo.Document>;
}

/** How to read documents. */
interface ReadOptions {
  readonly fields?: object;
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  /** Default: all documents. A negative number reads them in one response. */
  readonly limit?: number;
}

/** The documents that match a filter. */
export function readAll<Doc>(
  model: Model<Doc>,
  filter: object,
  { fields = {}, sort = {}, limit = 0 }: ReadOptions = {},
): Promise<Doc[]> {
  const options = { projection: fields, sort, limit };
  const find = (): Promise<unknown> => raw(model).find(filter, options).toArray();
  return repeatable(find) as Promise<Doc[]>;
}

/** The first document that matches a filter, or null. */
export async function readOne<Doc>(
  model: Model<Doc>,
  filter: object,
  options: Omit<ReadOptions, "limit"> = {},
): Promise<Doc | null> {
  return (await readAll(model, filter, { ...options, limit: -1 }))[0] ?? null;
}

/**
 * Whether a document matches a filter. Waits until a majority of the servers has it, because an election may
 * roll back anything else: a read does not wait, but a write does, even if it changes nothing.
 */
export async function confirmed<Doc>(model: Model<Doc>, filter: object): Promise<boolean> {
  const { matchedCount } = await repeatable(() =>
    raw(model).updateOne(filter, { $unset: { nothing: 1 } } as never),
  );
  return matchedCount === 1;
}

/** Inserts documents of which some may be stored already; these stay as they are. */
export async function storeAll<Doc extends { readonly _id: unknown }>(
  model: Model<Doc>,
  docs: readonly Doc[],
): Promise<void> {
  if (docs.length === 0) return;
  await repeatable(async () => {
    try {
      await raw(model).insertMany([...docs] as never[], { ordered: false });
    } catch (error) {
      if (duplicateOf(error) === null) throw error;
      const ids = { $in: docs.map(({ _id }) => _id) };
      if ((await raw(model).countDocuments({ _id: ids } as never)) < docs.length) throw error;
    }
  });
}

/** Removes documents, at most a fixed number of them, and returns how many. */
export async function removeSome<Doc>(model: Model<Doc>, filter: object): Promise<number> {
  const docs = await readAll<{ readonly _id: unknown }>(model as never, filter, {
    fields: { _id: 1 },
    limit: pruneStep,
  });
  if (docs.length === 0) return 0;
  const ids = { _id: { $in: docs.map(({ _id }) => _id) } };
  const { deletedCount } = await repeatable(() => model.deleteMany({ ...filter, ...ids } as never));
  return deletedCount;
}

/** Reads the time of the server. */
export async function serverTime({ connection }: Database): Promise<number> {
  const { localTime } = await connection.getClient().db().command({ hello: 1 });
  return localTime.getTime();
}
