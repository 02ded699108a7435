import { randomBytes } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { CommandError } from "./command-error.js";

/** Where the demo's key outlasts the process, so that one that was exported in a shell stays good. */
export interface DemoKeyFile {
  /** The key that was written last, or null. */
  read(): Promise<string | null>;
  /** Replaces the file; only its owner may read it. */
  write(key: string): Promise<void>;
}

/**
 * The file beside an embedded database: `queue-api.db.demo-key`. Without a database file (null) nothing is kept.
 * Both operations throw CommandError when the file cannot be used.
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
      // A new file takes the old one's place: so it is whole, and its mode is right whatever the old one's was.
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
  return new CommandError(`the demo's key cannot be kept in ${path} (${code}); remove that file`, {
    cause,
  });
}
