import { randomBytes } from "node:crypto";
import mongoose from "mongoose";
import { afterAll, describe } from "vitest";

/*
 * A MongoDB server for tests: the one that `TEST_MONGODB_URL` names, else a `mongod` that
 * mongodb-memory-server finds or brings. With neither, what needs one is skipped, and says so.
 */

/** How long a `mongod` may take to be brought and to start. */
const patienceMs = 25_000;

/** Where the server is, without the name of a database; null when there is none. */
export const mongoServer: string | null = await findServer();

async function findServer(): Promise<string | null> {
  const { TEST_MONGODB_URL: given } = process.env;
  if (given) return given.replace(/\/+$/, "");
  const started = await startServer();
  if (started === null) {
    console.warn(
      "SKIPPED: tests that need MongoDB. Run them with: TEST_MONGODB_URL=mongodb://HOST:PORT npm test",
    );
  }
  return started;
}

async function startServer(): Promise<string | null> {
  const { MongoMemoryServer } = await import("mongodb-memory-server-core");
  const starting = MongoMemoryServer.create();
  const late = new Promise<null>((resolve) => setTimeout(resolve, patienceMs, null).unref());
  try {
    const server = await Promise.race([starting, late]);
    if (server === null) {
      starting.then(
        (tooLate) => tooLate.stop(),
        () => {},
      );
      return null;
    }
    afterAll(async () => {
      await server.stop();
    });
    return server.getUri().replace(/\/+$/, "");
  } catch {
    return null; // there is no network, or no build for this machine: the warning says what to do
  }
}

/** A block that needs MongoDB; skipped where there is none. */
export const describeWithMongo = describe.skipIf(mongoServer === null);

/** A database that nobody has used, and how to remove it again. */
export function mongoDatabase(server = mongoServer): { url: string; remove(): Promise<void> } {
  if (server === null) throw new Error("there is no MongoDB server");
  const url = `${server}/queue_api_test_${randomBytes(6).toString("hex")}`;
  return { url, remove: () => withDatabase(url, (db) => db.dropDatabase()).then(() => {}) };
}

type Db = NonNullable<mongoose.Connection["db"]>;

/** Looks into a database beside the service. */
export async function withDatabase<Result>(
  url: string,
  look: (db: Db) => Promise<Result>,
): Promise<Result> {
  const connection = await mongoose.createConnection(url).asPromise();
  try {
    if (!connection.db) throw new Error("the URL names no database");
    return await look(connection.db);
  } finally {
    await connection.close();
  }
}
