import { randomBytes } from "node:crypto";
import mongoose from "mongoose";

/** The URL of the MongoDB server for tests, without the name of a database; null if there is none. */
const mongoServer = process.env.TEST_MONGODB_URL?.replace(/\/+$/, "") || null;

/** The prefix of the names of all databases of a run. */
const { TEST_MONGODB_PREFIX: prefix = "queue_api_test_" } = process.env;

interface MongoDatabase {
  readonly url: string;
  remove(): Promise<void>;
}

/** A new database, and a function that removes it. */
export function mongoDatabase(server = mongoServer): MongoDatabase {
  if (server === null) throw new Error("there is no MongoDB server");
  const url = `${server}/${prefix}${randomBytes(6).toString("hex")}`;
  return { url, remove: () => withDatabase(url, (db) => db.dropDatabase()).then(() => {}) };
}

/** Databases of this worker that are empty again. The end of the run removes them. */
const emptied: string[] = [];

/** An empty database. It can have indexes already, because creating them takes longer than emptying it. */
export function emptyMongoDatabase(): MongoDatabase {
  const url = emptied.pop() ?? mongoDatabase().url;
  const remove = async () => {
    await withDatabase(url, async (db) => {
      const collections = await db.collections();
      await Promise.all(collections.map((collection) => collection.deleteMany({})));
    });
    emptied.push(url);
  };
  return { url, remove };
}

type Db = NonNullable<mongoose.Connection["db"]>;

/** Runs a function on a database without the service. */
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
