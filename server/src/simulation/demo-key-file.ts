import { randomBytes } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";

/*
 * The demo's key across restarts, so that a key that was exported in a shell keeps working. It is in a file next to
 * the database file, for example `queue-api.db.demo-key`.
 */

/** The stored key, or null. Throws if the file cannot be read. */
export async function readDemoKey(databaseFile: string): Promise<string | null> {
  const path = pathFor(databaseFile);
  return readFile(path, "utf8").then(
    (text) => text.trim(),
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw unusable(path, error);
    },
  );
}

/** Replaces the file; only its owner may read it. Throws if it cannot be written. */
export async function writeDemoKey(databaseFile: string, key: string): Promise<void> {
  const path = pathFor(databaseFile);
  // Renaming a new file replaces the old one atomically, and does not keep its mode.
  const written = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(written, `${key}\n`, { mode: 0o600, flag: "wx" });
    await rename(written, path);
  } catch (error) {
    await rm(written, { force: true });
    throw unusable(path, error as NodeJS.ErrnoException);
  }
}

const pathFor = (databaseFile: string) => `${databaseFile}.demo-key`;

function unusable(path: string, cause: NodeJS.ErrnoException): Error {
  const message = `the demo's key cannot be stored in ${path} (${cause.code}); remove that file`;
  return new Error(message, { cause });
}
