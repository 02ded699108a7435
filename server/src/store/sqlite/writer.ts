import { StoreUnavailableError } from "../errors.js";
import type { Task } from "./commands.js";
import { Connection, isBusy, isTaken, resultCode, resultCodes } from "./connection.js";
import { DatabaseFile } from "./database-file.js";

/** Writes tasks: in this thread, or in another one. */
export interface TaskWriter {
  /**
   * Writes a task, and returns how many rows it changed; null if it met a conflict and nothing was written. Resolves after
   * the commit.
   *
   * @throws StoreUnavailableError if the database cannot be written, or it is unknown whether the task was.
   */
  write(task: Task): Promise<number | null>;
  /**
   * Writes what waits, moves the log into the database and closes it. Closes it also if this fails.
   *
   * @throws StoreUnavailableError if the files are not in place.
   */
  close(): Promise<void>;
}

interface Waiting {
  readonly task: Task;
  readonly resolve: (changes: number | null) => void;
  readonly reject: (error: unknown) => void;
  /** The number of transactions that could not begin because another process held the lock. */
  attempts: number;
}

/**
 * How many times a task tries for the lock before it fails, about four seconds in total, the time that SQLite blocks
 * the thread each time, and the pause between two tries, in milliseconds. An early error with `Retry-After` is more
 * useful to a caller than the timeout of a proxy.
 */
const maxAttempts = 90;
const busyTimeoutMs = 20;
const retryDelayMs = 25;

/**
 * A commit that takes longer than this is followed by a pause, in milliseconds. SQLite keeps no queue for its lock: on a
 * slow disk, a process that commits without a pause keeps the lock from the others until they give up. The pause is longer
 * than the one between their tries.
 */
const longCommitMs = 100;
const leaveLockMs = retryDelayMs + 5;

/** The size to which the log is truncated after a large write, in bytes. */
const logBytes = 16 * 1024 * 1024;

/**
 * The one writer of this process. Tasks that wait at the same time share one commit, because a commit waits for the
 * disk. They share nothing else: each has a savepoint, and one that meets a conflict or fails is undone alone.
 */
export class Writer implements TaskWriter {
  readonly #db: Connection;
  readonly #file: DatabaseFile;
  #waiting: Waiting[] = [];
  #isScheduled = false;
  /** When the next commit may begin, by the monotonic clock. */
  #notBefore = 0;
  #synchronous: "FULL" | "NORMAL" | null = null;
  #emptied: (() => void)[] = [];

  /** `db`: a connection to the file, which has the schema. */
  constructor(file: DatabaseFile, db: Connection) {
    this.#file = file;
    this.#db = db;
    db.exec(`PRAGMA journal_size_limit = ${logBytes}`);
    db.exec("SELECT count(*) FROM sqlite_schema"); // the first read creates the log and its index
    file.assertInPlace();
  }

  static open(path: string): Writer {
    const file = new DatabaseFile(path);
    return new Writer(file, new Connection(file.path, busyTimeoutMs));
  }

  write(task: Task): Promise<number | null> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, resolve, reject, attempts: 0 });
      this.#schedule();
    });
  }

  async close(): Promise<void> {
    if (this.#isScheduled) await new Promise<void>((resolve) => this.#emptied.push(resolve));
    try {
      this.#file.assertInPlace();
      this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch (error) {
      // On a full disk, the log stays, and the next process reads it.
      if (resultCode(error) !== resultCodes.full) throw unavailable(error);
    } finally {
      this.#db.close();
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const pauseMs = this.#notBefore - performance.now();
    if (pauseMs > 0) setTimeout(() => this.#commit(), pauseMs);
    else setImmediate(() => this.#commit());
  }

  /** Commits the tasks that wait. */
  #commit(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    this.#isScheduled = false;
    try {
      this.#begin(batch.some(({ task }) => task.isDurable));
      const beganAt = performance.now();
      const settles = batch.map((waiting) => this.#run(waiting));
      this.#db.exec("COMMIT");
      const endedAt = performance.now();
      if (endedAt - beganAt > longCommitMs) this.#notBefore = endedAt + leaveLockMs;
      for (const settle of settles) settle();
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      if (isBusy(error)) this.#waitForLock(batch, error);
      else for (const { reject } of batch) reject(unavailable(error));
    }
    if (this.#waiting.length > 0) this.#schedule();
    else for (const resolve of this.#emptied.splice(0)) resolve();
  }

  /** A commit that is not durable survives the end of the process, and does not wait for the disk. */
  #begin(isDurable: boolean): void {
    this.#file.assertInPlace();
    const synchronous = isDurable ? "FULL" : "NORMAL";
    if (this.#synchronous !== synchronous) {
      this.#db.exec(`PRAGMA synchronous = ${synchronous}`);
      this.#synchronous = synchronous;
    }
    this.#db.exec("BEGIN IMMEDIATE");
  }

  /** Runs a task in a savepoint, and returns what settles it after the commit. */
  #run({ task, resolve, reject }: Waiting): () => void {
    this.#db.exec("SAVEPOINT task");
    try {
      const changes = this.#changesOf(task);
      this.#db.exec(changes === null ? "ROLLBACK TO task; RELEASE task" : "RELEASE task");
      return () => resolve(changes);
    } catch (error) {
      const code = resultCode(error);
      const isOfTask = code === undefined || code === resultCodes.constraint;
      if (!isOfTask || !this.#db.isTransaction) throw error; // an error of the database fails all of them
      this.#db.exec("ROLLBACK TO task; RELEASE task");
      return isTaken(error) ? () => resolve(null) : () => reject(error);
    }
  }

  #changesOf({ commands, isExact }: Task): number | null {
    let changes = 0;
    for (const command of commands) {
      const changed = this.#db.run(command);
      if (isExact && changed === 0) return null;
      changes += changed;
    }
    return changes;
  }

  /** Keeps the tasks for the next try, and rejects those that have waited too long. */
  #waitForLock(batch: readonly Waiting[], cause: unknown): void {
    this.#notBefore = performance.now() + retryDelayMs;
    for (const waiting of batch) {
      if (++waiting.attempts < maxAttempts) this.#waiting.push(waiting);
      else {
        const message = "another process holds the lock of the database";
        waiting.reject(new StoreUnavailableError(message, { cause }));
      }
    }
  }
}

function unavailable(error: unknown): Error {
  if (error instanceof StoreUnavailableError) return error;
  const isFull = resultCode(error) === resultCodes.full;
  const message = isFull
    ? "the disk of the database is full"
    : `the database cannot be written: ${(error as Error).message}`;
  return new StoreUnavailableError(message, { cause: error });
}
