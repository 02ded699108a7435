import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A database file that nobody has used, and how to remove it again. */
export async function temporaryDatabase(): Promise<{ url: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "queue-api-test-"));
  return {
    url: `file:${join(folder, "queue-api.db")}`,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
