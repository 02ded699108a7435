import { randomBytes } from "node:crypto";
import mongoose from "mongoose";
import { describe } from "vitest";

/** Where the MongoDB server for tests is, without the name of a database; null when there is none. See mongo-server.ts. */
export const mongoServer = process.env.TEST_MONGODB_URL?.replace(/\/+$/, "") || null;

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
