import { randomBytes } from "node:crypto";
import mongoose from "mongoose";

/** The maximum time for the download and the start of a `mongod`, in milliseconds. */
const patienceMs = 25_000;

/**
 * Before all tests: if `TEST_MONGODB_URL` names no MongoDB server, mongodb-memory-server finds or downloads one.
 * Without a server the run fails.
 */
export async function setup(): Promise<() => Promise<void>> {
  const prefix = `queue_api_test_${randomBytes(4).toString("hex")}_`;
  process.env.TEST_MONGODB_PREFIX = prefix;
  const { TEST_MONGODB_URL: running } = process.env;
  if (running) return () => dropDatabases(running, prefix);
  const { MongoMemoryServer } = await import("mongodb-memory-server-core");
  const starting = MongoMemoryServer.create();
  const late = new Promise<null>((resolve) => setTimeout(resolve, patienceMs, null).unref());
  const server = await Promise.race([starting, late]).catch(() => null); // without network, or without a build for this machine
  if (server === null) {
    starting.then(
      (tooLate) => tooLate.stop(),
      () => undefined,
    );
    throw new Error(
      "These tests need a MongoDB server. Start one, and run them with TEST_MONGODB_URL=mongodb://HOST:PORT",
    );
  }
  process.env.TEST_MONGODB_URL = server.getUri();
  return async () => {
    await server.stop();
  };
}

/** After all tests: removes the remaining databases of this run. */
async function dropDatabases(url: string, prefix: string): Promise<void> {
  const connection = await mongoose.createConnection(url).asPromise();
  try {
    for (const { name } of (await connection.listDatabases()).databases) {
      if (name.startsWith(prefix)) await connection.useDb(name).dropDatabase();
    }
  } finally {
    await connection.close();
  }
}
