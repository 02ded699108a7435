import { randomBytes } from "node:crypto";
import mongoose from "mongoose";

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
  const server = await MongoMemoryServer.create().catch((cause: unknown) => {
    const advice = "Start one, and run them with TEST_MONGODB_URL=mongodb://HOST:PORT";
    throw new Error(`These tests need a MongoDB server. ${advice}`, { cause });
  });
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
