import { randomBytes } from "node:crypto";
import mongoose from "mongoose";
import { atEnd } from "./at-end.js";

/** The URL of the MongoDB server for tests, without the name of a database; null if there is none. */
const mongoServer = process.env.TEST_MONGODB_URL?.replace(/\/+$/, "") || null;

/** The prefix of the names of all databases of a run. */
const { TEST_MONGODB_PREFIX: prefix = "queue_api_test_" } = process.env;

/** The URL of a new database. The end of the run removes it. */
export function mongoDatabase(server = mongoServer): string {
  if (server === null) throw new Error("there is no MongoDB server");
  return `${server}/${prefix}${randomBytes(6).toString("hex")}`;
}

/** Databases of this worker that no test uses now. */
const free: string[] = [];

/** An empty database. It can have indexes already, because creating them takes longer than emptying it. */
export async function emptyMongoDatabase(): Promise<string> {
  const used = free.pop();
  const url = used ?? mongoDatabase();
  atEnd(async () => {
    free.push(url);
  });
  if (used) {
    await withDatabase(url, async (db) => {
      const collections = await db.collections();
      await Promise.all(collections.map((collection) => collection.deleteMany({})));
    });
  }
  return url;
}

type Db = NonNullable<mongoose.Connection["db"]>;

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
