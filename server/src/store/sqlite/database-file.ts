import { type BigIntStats, realpathSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { StoreUnavailableError } from "../errors.js";
import { Connection, resultCode, resultCodes } from "./connection.js";

/** "QAPI" in the file header identifies the database of this program. */
export const applicationId = 0x51415049;

/**
 * The files of an open database: the database itself, its write-ahead log and the index of the log, which all
 * connections share. SQLite continues to use a file that was deleted, replaced or damaged, and what it writes is then
 * lost.
 */
export class DatabaseFile {
  /** The path without symbolic links. SQLite names the other two files after it. */
  readonly path: string;
  readonly #paths: readonly string[];
  /** The three files, as they were when they were first checked. */
  #first: readonly BigIntStats[] | null = null;
  /** The database, as it was when it was last checked. */
  #last: BigIntStats | null = null;
  #isDamaged = false;

  constructor(path: string) {
    this.path = realpathSync(path);
    this.#paths = [path, `${this.path}-wal`, `${this.path}-shm`];
  }

  /**
   * Checks that the files are the ones that this process uses, and that no other program has overwritten the
   * database. Call it once the database is open and was read, and before each commit. It costs three calls of the
   * system: each of the files can be lost alone.
   *
   * @throws StoreUnavailableError if a file is missing or was replaced, or the database was overwritten.
   */
  assertInPlace(): void {
    const found = this.#paths.map((path) => look(path) ?? lost(path, "deleted"));
    this.#first ??= found;
    for (const [at, path] of this.#paths.entries()) {
      if (!areSame(found[at], this.#first[at])) lost(path, "replaced");
    }
    const [database] = found;
    if (database) this.#isDamaged ||= this.#wasOverwritten(database);
    if (this.#isDamaged) lost(this.path, "overwritten");
  }

  /** Whether the database became smaller, which only VACUUM may do, or has another header since the last check. */
  #wasOverwritten(database: BigIntStats): boolean {
    const last = this.#last ?? database;
    this.#last = database;
    if (database.size < last.size) return true;
    const isWritten = database.mtimeNs !== last.mtimeNs || database.size !== last.size;
    return isWritten && !this.#hasOwnHeader(); // usually by a checkpoint, which moves pages from the log into it
  }

  /**
   * Whether the header on the disk is one of this program. SQLite reads it, because closing the file in another way
   * would release the locks of this process.
   */
  #hasOwnHeader(): boolean {
    try {
      const onDisk = new Connection(`${pathToFileURL(this.path)}?immutable=1`, 0);
      try {
        const id = onDisk.value("SELECT application_id FROM pragma_application_id");
        return id === applicationId || id === 0; // 0 until the first checkpoint
      } finally {
        onDisk.close();
      }
    } catch (error) {
      // In the middle of a checkpoint the header may be newer than the rest.
      return resultCode(error) !== resultCodes.notADatabase;
    }
  }
}

/** Whether two paths name one file, by symbolic or hard links. */
export function isSameFile(one: string, other: string): boolean {
  const [first, second] = [look(one), look(other)];
  return areSame(first, second) || one === other;
}

function look(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}

function areSame(one: BigIntStats | undefined, other: BigIntStats | undefined): boolean {
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
}

const advice = {
  deleted: "Put the original file back, or restart to use the one that is there.",
  replaced: "Put the original file back, or restart to use the one that is there.",
  overwritten: "Stop the service and restore a backup, unless the other program was VACUUM.",
} as const;

function lost(path: string, how: keyof typeof advice): never {
  const message = `${path} was ${how} while it was open. Nothing more is written to it. ${advice[how]}`;
  throw new StoreUnavailableError(message);
}
