import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { memoryAdapter } from "../../../server/src/store/memory/memory-adapter.js";
import type { Adapter } from "../../../server/src/store/port.js";
import { openSqlite } from "../../../server/src/store/sqlite/open.js";
import { temporaryFolder } from "../../support/folder.js";
import { emptyMongoDatabase } from "../../support/mongo.js";

interface TestedAdapter {
  readonly name: string;
  /** Opens a new, empty database, which is removed after the test or after all tests of the file. */
  open(): Promise<Adapter>;
}

const newPath = () => join(temporaryFolder(), "queue.db");

async function openOnMongo(): Promise<Adapter> {
  const { openMongo } = await import("../../../server/src/store/mongo/open-mongo.js");
  return (await openMongo(await emptyMongoDatabase(), { prepare: "always" })).adapter;
}

/** The adapters that this run tests: those of `npm test`, or of `npm run test:mongo`. */
export const testedAdapters: readonly TestedAdapter[] =
  process.env.TEST_STORE === "mongo"
    ? [{ name: "mongo", open: openOnMongo }]
    : [
        { name: "memory", open: async () => memoryAdapter() },
        { name: "sqlite", open: () => openSqlite(newPath(), { create: true }) },
      ];

/** A name that no other test has. */
export const unique = (name: string): string => `${name}${randomBytes(4).toString("hex")}`;
