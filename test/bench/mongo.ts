import { randomBytes } from "node:crypto";
import mongoose from "mongoose";
import type { Stage } from "./stage.js";

/** The MongoDB server that some rows need, without the name of a database; null when there is none. */
export const mongoServer = process.env.TEST_MONGODB_URL?.replace(/\/+$/, "") || null;

/** The URL of a database that nobody has used; it is removed when the stage is cleared away. */
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
