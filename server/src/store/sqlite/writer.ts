import { StoreUnavailableError } from "../errors.js";
import { Connection, isBusy, resultCode, resultCodes } from "./connection.js";
import { DatabaseFile } from "./database-file.js";

/** What is done in a transaction. */
type Work<Result> = () => Result | Promise<Result>;

interface Waiting {
  readonly work: Work<unknown>;
  readonly isDurable: boolean;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
  /** The number of transactions that could not begin because another process held the lock. */
  attempts: number;
}

/**
 * How many times work tries for the lock before it fails, about four seconds in total, the time that SQLite blocks
 * the thread each time, and the pause between two tries, in milliseconds. An early error with `Retry-After` is more
 * useful to a caller than the timeout of a proxy.
 */
const maxAttempts = 90;
const busyTimeoutMs = 20;
const retryDelayMs = 25;

/**
 * A transaction takes no further work after this time, and is followed by a pause if it took longer, in milliseconds.
 * SQLite keeps no queue for its lock: on a slow disk, a process that commits without a pause keeps the lock from the others
 * until they give up. The pause is longer than the one between their tries.
 */
const longTransactionMs = 100;
const leaveLockMs = retryDelayMs + 5;

/** The size to which the log is truncated after a large write, in bytes. */
const logBytes = 16 * 1024 * 1024;

/**
 * The one writer of this process. Work that waits at the same time shares one commit, because a commit waits for the
 * disk. It shares nothing else: each has a savepoint, and a failure rolls back that work alone.
 */
export class Writer {
  /** The connection that writes. Only work uses it. */
  readonly db: Connection;
  readonly #file: DatabaseFile;
  #waiting: Waiting[] = [];
  #isScheduled = false;
  /** When the next commit may begin, by the monotonic clock. */
  #notBefore = 0;
  #synchronous: "FULL" | "NORMAL" | null = null;

  /** `db`: a connection to the file, which has the schema. */
  constructor(file: DatabaseFile, db: Connection) {
    this.#file = file;
    this.db = db;
    db.exec(`PRAGMA journal_size_limit = ${logBytes}`);
    db.exec("SELECT count(*) FROM sqlite_schema"); // the first read creates the log and its index
    file.assertInPlace();
  }

  static open(path: string): Writer {
    const file = new DatabaseFile(path);
    return new Writer(file, new Connection(file.path, busyTimeoutMs));
  }

  /**
   * Runs work in a transaction, and resolves with its result after the commit. The work must wait for nothing but reads of
   * `db`, because it holds the lock. If it throws, it is rolled back.
   *
   * @throws What the work throws, or StoreUnavailableError if the database cannot be written, or it is unknown whether it
   * was.
   */
  run<Result>(work: Work<Result>, isDurable: boolean): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ work, isDurable, resolve, reject, attempts: 0 });
      this.#schedule();
    });
  }

  /**
   * Moves the log into the database and closes it, also if this fails. All work must have ended.
   *
   * @throws StoreUnavailableError if the files are not in place.
   */
  close(): void {
    try {
      this.#file.assertInPlace();
      this.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch (error) {
      // On a full disk, the log stays, and the next process reads it.
      if (resultCode(error) !== resultCodes.full) throw unavailable(error);
    } finally {
      this.db.close();
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const pauseMs = this.#notBefore - performance.now();
    if (pauseMs > 0) setTimeout(() => this.#commit(), pauseMs);
    else setImmediate(() => this.#commit());
  }

  /** Runs the work that waits, and commits it. */
  async #commit(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    try {
      this.#begin(batch.some(({ isDurable }) => isDurable));
      const beganAt = performance.now();
      const isLong = () => performance.now() - beganAt > longTransactionMs;
      const settles: (() => void)[] = [];
      for (const waiting of batch) {
        if (isLong()) break;
        settles.push(await this.#run(waiting));
      }
      this.db.exec("COMMIT");
      if (isLong()) this.#notBefore = performance.now() + leaveLockMs;
      this.#waiting.unshift(...batch.slice(settles.length));
      for (const settle of settles) settle();
    } catch (error) {
      if (this.db.isTransaction) this.db.exec("ROLLBACK");
      if (isBusy(error)) this.#waitForLock(batch, error);
      else for (const { reject } of batch) reject(unavailable(error));
    }
    this.#isScheduled = false;
    if (this.#waiting.length > 0) this.#schedule();
  }

  /** A commit that is not durable survives the end of the process, and does not wait for the disk. */
  #begin(isDurable: boolean): void {
    this.#file.assertInPlace();
    const synchronous = isDurable ? "FULL" : "NORMAL";
    if (this.#synchronous !== synchronous) {
      this.db.exec(`PRAGMA synchronous = ${synchronous}`);
      this.#synchronous = synchronous;
    }
    this.db.exec("BEGIN IMMEDIATE");
  }

  /** Runs work in a savepoint, and returns what settles it after the commit. */
  async #run({ work, resolve, reject }: Waiting): Promise<() => void> {
    this.db.exec("SAVEPOINT work");
    try {
      const result = await work();
      this.db.exec("RELEASE work");
      return () => resolve(result as never);
    } catch (error) {
      const code = resultCode(error);
      const isOfWork = code === undefined || code === resultCodes.constraint;
      if (!isOfWork || !this.db.isTransaction) throw error; // an error of the database fails all of them
      this.db.exec("ROLLBACK TO work; RELEASE work");
      return () => reject(error);
    }
  }

  /** Keeps the work for the next try, and rejects what has waited too long. */
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
