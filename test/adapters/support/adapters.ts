import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { memoryAdapter } from "../../../server/src/store/memory/memory-adapter.js";
import type { Adapter } from "../../../server/src/store/port.js";
import { openSqlite } from "../../../server/src/store/sqlite/open.js";
import { temporaryFolder } from "../../support/folder.js";

/** A database that adapters can open. */
export interface TestDatabase {
  /** Opens an adapter. The caller closes it. */
  open(): Promise<Adapter>;
}

export interface TestedAdapter {
  readonly name: string;
  /** Whether a second adapter can open the same database. */
  readonly isShared: boolean;
  /** A new, empty database. It is removed after the test, or after all tests of the file. */
  database(): Promise<TestDatabase>;
}

const memory: TestedAdapter = {
  name: "memory",
  isShared: false,
  database: async () => ({ open: async () => memoryAdapter() }),
};

const sqlite: TestedAdapter = {
  name: "sqlite",
  isShared: true,
  async database() {
    const path = join(temporaryFolder(), "queue.db");
    return { open: () => openSqlite(path, { create: true, threads: false }) };
  },
};

/** A thread runs the built files. */
export async function openThreaded(path: string): Promise<Adapter> {
  const built = await import("../../../server/dist/store/sqlite/open.js");
  return built.openSqlite(path, { create: true, threads: true });
}

const threaded: TestedAdapter = {
  name: "threaded sqlite",
  isShared: true,
  async database() {
    const path = join(temporaryFolder(), "queue.db");
    return { open: () => openThreaded(path) };
  },
};

/** The adapters that this run tests: those of `npm test`, or of `npm run test:mongo`. */
export async function testedAdapters(): Promise<readonly TestedAdapter[]> {
  if (process.env.TEST_STORE !== "mongo") return [memory, sqlite, threaded];
  const { mongo } = await import("./mongo.js");
  return [mongo];
}

/** A name that no other test has. */
export const unique = (name: string): string => `${name}${randomBytes(4).toString("hex")}`;
