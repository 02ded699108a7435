import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd } from "./at-end.js";

/** A new folder, which is removed after the test that is running; outside of tests, after all tests of the file or group. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "queue-api-test-"));
  atEnd(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
