import { randomBytes } from "node:crypto";
import mongoose from "mongoose";
import type { Stage } from "./stage.js";

/** The URL of the MongoDB server that some rows need, without the name of a database; null if there is none. */
export const mongoServer = process.env.TEST_MONGODB_URL?.replace(/\/+$/, "") || null;

/** Returns the URL of a new database, which is removed at the end of the stage. */
export function newMongoDatabase(stage: Stage): string {
  if (mongoServer === null) throw new Error("TEST_MONGODB_URL names no MongoDB server");
  const url = `${mongoServer}/queue_api_bench_${randomBytes(6).toString("hex")}`;
  stage.atEnd(async () => {
    const client = await mongoose.mongo.MongoClient.connect(url);
    await client.db().dropDatabase();
    await client.close();
  });
  return url;
}
