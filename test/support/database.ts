import { randomBytes } from "node:crypto";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@queue-api/server";
import { temporaryFolder } from "./folder.js";

let emptyDatabase: Promise<string> | undefined;

/**
 * The URL of a new SQLite database without data: a copy of one that this worker made. Making one takes ten times as long
 * as the copy, and hundreds of tests need a database.
 */
export async function temporaryDatabase(): Promise<string> {
  emptyDatabase ??= makeEmptyDatabase();
  const path = join(temporaryFolder(), "queue-api.db");
  copyFileSync(await emptyDatabase, path);
  return `file:${path}`;
}

async function makeEmptyDatabase(): Promise<string> {
  const path = join(temporaryFolder(), "queue-api.db");
  const store = await openStore(`file:${path}`, { random: randomBytes });
  await store.close();
  return path;
}
