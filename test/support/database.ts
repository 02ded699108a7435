import { randomBytes } from "node:crypto";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@queue-api/server";
import { temporaryFolder } from "./folder.js";

/** The URL of a new SQLite database without data. */
export async function temporaryDatabase(): Promise<string> {
  const path = join(temporaryFolder(), "queue-api.db");
  await createEmptyDatabase(path);
  return `file:${path}`;
}

let emptyDatabase: Promise<string> | undefined;

/**
 * Creates a SQLite database without data. Copies one that this worker made: making one takes four times as long as the
 * copy, and hundreds of tests need a database.
 */
export async function createEmptyDatabase(path: string): Promise<void> {
  emptyDatabase ??= makeEmptyDatabase();
  copyFileSync(await emptyDatabase, path);
}

async function makeEmptyDatabase(): Promise<string> {
  const path = join(temporaryFolder(), "queue-api.db");
  const store = await openStore(`file:${path}`, { random: randomBytes });
  await store.close();
  return path;
}
