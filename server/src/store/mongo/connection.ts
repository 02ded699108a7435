import { setTimeout as pause } from "node:timers/promises";
import mongoose, { type mongo } from "mongoose";
import { StoreOpenError } from "../errors.js";
import { inTime } from "./command-runner.js";
import { type Models, modelsOf } from "./models.js";

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

/** The pause before connecting again, in milliseconds. Connecting itself waits for a server. */
const retryDelayMs = 100;

/** What no URL may change: reads see all that was acknowledged, and what was acknowledged is never lost. */
const guarantees = {
  writeConcern: { w: "majority" },
  readConcern: { level: "majority" },
  readPreference: "primary",
} as const;

/** The options of a URL, in lower case, that could lower the guarantees, with the only value that does not. */
const required = new Map([
  ["w", "majority"],
  ["journal", "true"],
  ["j", "true"],
  ["fsync", "true"],
  ["readconcernlevel", "majority"],
  ["readpreference", "primary"],
]);

interface ConnectOptions {
  /** Whether commands have no time limit. Default: false. */
  readonly patient?: boolean;
  /** Called for each command that is sent; for tests and benchmarks. */
  readonly onCommand?: ((command: mongo.Document) => void) | undefined;
}

/** A database with its collections. */
export interface Database {
  readonly models: Models;
  /** The names of its collections. None: the server has no database of this name, which begins with the first one. */
  collections(): Promise<string[]>;
  /** The time of the server that takes writes. */
  serverTime(): Promise<number>;
  /** Connects again. */
  reconnect(): void;
  close(): Promise<void>;
}

/**
 * Connects to the database that a URL names.
 *
 * @throws StoreOpenError if the URL lowers a guarantee.
 */
export async function connect(
  url: string,
  { patient = false, onCommand }: ConnectOptions = {},
): Promise<Database> {
  const defaults = defaultsFor(url);
  const connection = mongoose.createConnection();
  // The handler is empty, because the command that fails reports the error.
  connection.on("error", () => {});
  const open = async () => {
    await connection.openUri(url, {
      ...defaults,
      ...(patient && { socketTimeoutMS: 0 }),
      ...guarantees,
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
  return {
    ...reconnecting(connection, open),
    models: modelsOf(connection),
    collections: async () => {
      return (await inTime(() => connection.listCollections())).map(({ name }) => name);
    },
    async serverTime() {
      const db = connection.getClient().db();
      const { localTime } = await inTime(() => db.command({ hello: 1 }));
      return localTime.getTime();
    },
  };
}

/**
 * The defaults that a URL does not override.
 *
 * @throws StoreOpenError if it lowers a guarantee.
 */
function defaultsFor(url: string): Partial<typeof connectionDefaults> {
  const names = new Set<string>();
  for (const [name, value] of optionsIn(url)) {
    names.add(name.toLowerCase());
    const only = required.get(name.toLowerCase());
    if (only === undefined || value.toLowerCase() === only) continue;
    throw new StoreOpenError(
      `The database URL must not set ${name}: acknowledged writes could be lost or missed. Remove the option.`,
    );
  }
  const defaults = Object.entries(connectionDefaults);
  return Object.fromEntries(defaults.filter(([name]) => !names.has(name.toLowerCase())));
}

/**
 * Connects again when asked to. If all connections close at once, the driver's monitor may wait for a socket that never
 * becomes writable, and then never finds the server again. `open`: connects once.
 */
function reconnecting(
  connection: mongoose.Connection,
  open: () => Promise<void>,
): Pick<Database, "reconnect" | "close"> {
  let isClosed = false;
  let connecting: Promise<void> | null = null;
  /** Connects until it succeeds. Meanwhile, each command reports that there is no connection. */
  const connectAgain = async () => {
    await connection.close().catch(() => {});
    while (!isClosed) {
      try {
        return await open();
      } catch {
        await pause(retryDelayMs);
      }
    }
  };
  return {
    reconnect() {
      connecting ??= connectAgain().finally(() => {
        connecting = null;
      });
    },
    async close() {
      isClosed = true;
      await connecting; // a connection that opens meanwhile would stay open
      await connection.close();
    },
  };
}

/** The names and values of the options in a URL. */
export function optionsIn(url: string): [name: string, value: string][] {
  return [...new URLSearchParams(url.split("?")[1] ?? "")];
}
