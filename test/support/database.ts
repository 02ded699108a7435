import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new database file, and a function that removes it. */
export async function temporaryDatabase(): Promise<{ url: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "queue-api-test-"));
  return {
    url: `file:${join(folder, "queue-api.db")}`,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
