import type { Clock } from "../../rules/ports.js";
import { StoreOpenError } from "../store-open-error.js";
import { StoreUnavailableError } from "../store-unavailable-error.js";
import { connect } from "./connection.js";
import { makeIndexes, verifyIndexes } from "./indexes.js";
import { MongoStore } from "./mongo-store.js";
import { databaseTime, handedTime } from "./time.js";
import { isUnavailable } from "./unavailable.js";

export interface MongoOptions {
  /** A time to go by instead of the database's own; for tests. */
  readonly clock?: Clock;
  /** Whether missing indexes are made. Without, one that is missing is an error. Default: true. */
  readonly prepare?: boolean;
  /** Sees each command that is sent; for tests. */
  readonly onCommand?: (command: Readonly<Record<string, unknown>>) => void;
}

/** Makes the indexes that are missing in the database that a URL names. It may take its time. */
async function prepareMongo(url: string): Promise<void> {
  const db = await connect(url, { patient: true });
  try {
    await makeIndexes(db);
  } finally {
    await db.connection.close();
  }
}

/**
 * Connects to the database that a URL names, and sees to its indexes.
 *
 * @throws StoreUnavailableError when it cannot be reached, StoreOpenError when it cannot be used.
 */
export async function openMongo(
  url: string,
  { clock, prepare = true, onCommand }: MongoOptions = {},
): Promise<MongoStore> {
  try {
    if (prepare) await prepareMongo(url);
    const db = await connect(url, { onCommand });
    try {
      await verifyIndexes(db);
      return new MongoStore(db, clock ? handedTime(clock) : databaseTime());
    } catch (error) {
      await db.connection.close();
      throw error;
    }
  } catch (error) {
    if (error instanceof StoreOpenError) throw error;
    if (isUnavailable(error)) {
      throw new StoreUnavailableError(
        "The MongoDB server cannot be reached. Start it, or correct DATABASE_URL.",
        { cause: error },
      );
    }
    // What the driver says of a URL may quote it, with its password.
    const { name, codeName } = error as { name?: string; codeName?: string };
    throw new StoreOpenError(
      `The MongoDB database cannot be used (${codeName ?? name}). Correct DATABASE_URL.`,
    );
  }
}
