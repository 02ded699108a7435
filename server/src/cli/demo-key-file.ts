import { randomBytes } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { CommandError } from "./errors.js";

/** Stores the demo's key across restarts, so that a key that was exported in a shell keeps working. */
export interface DemoKeyFile {
  /** The stored key, or null. */
  read(): Promise<string | null>;
  /** Replaces the file; only its owner may read it. */
  write(key: string): Promise<void>;
}

/**
 * The key file next to an embedded database, for example `queue-api.db.demo-key`. Without a database file (null), no key
 * is stored. Both operations throw CommandError if the file cannot be read or written.
 */
export function demoKeyFile(databaseFile: string | null): DemoKeyFile {
  if (databaseFile === null) return { read: async () => null, write: async () => {} };
  const path = `${databaseFile}.demo-key`;
  return {
    async read() {
      try {
        return (await readFile(path, "utf8")).trim();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
        throw unusable(path, error);
      }
    },
    async write(key) {
      // Renaming a new file replaces the old one atomically, and does not keep its mode.
      const written = `${path}.${randomBytes(6).toString("hex")}`;
      try {
        await writeFile(written, `${key}\n`, { mode: 0o600, flag: "wx" });
        await rename(written, path);
      } catch (error) {
        await rm(written, { force: true });
        throw unusable(path, error);
      }
    },
  };
}

function unusable(path: string, cause: unknown): CommandError {
  const { code } = cause as NodeJS.ErrnoException;
  return new CommandError(
    `the demo's key cannot be stored in ${path} (${code}); remove that file`,
    {
      cause,
    },
  );
}
