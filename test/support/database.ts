import { randomBytes } from "node:crypto";
import { copyFileSync, mkdtempSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "@queue-api/server";
import { atEndOfWorker } from "./at-end.js";

/** A new database file, and a function that removes it. */
export async function temporaryDatabase(): Promise<{ url: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "queue-api-test-"));
  const path = join(folder, "queue-api.db");
  await createEmptyDatabase(path);
  return { url: `file:${path}`, remove: () => rm(folder, { recursive: true, force: true }) };
}

let emptyDatabase: Promise<string> | undefined;

/**
 * Creates a SQLite database without data. Copies one that this worker made: all migrations together take four times
 * as long as the copy, and hundreds of tests need a database.
 */
export async function createEmptyDatabase(path: string): Promise<void> {
  emptyDatabase ??= makeEmptyDatabase();
  copyFileSync(await emptyDatabase, path);
}

async function makeEmptyDatabase(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "queue-api-empty-"));
  atEndOfWorker(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "queue-api.db");
  const store = await openStore(`file:${path}`, { random: randomBytes });
  await store.close();
  return path;
}
