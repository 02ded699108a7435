import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Before all tests of a run: makes the folder in which all their temporary files are. It is removed after them. */
export function setup(): () => void {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755); // a test runs a process as another user
  process.env.TMPDIR = folder;
  // A browser that was ended may still write to its profile.
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 9 });
}

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), "queue-api-test-"));
}
