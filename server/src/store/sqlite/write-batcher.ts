import { StoreUnavailableError } from "../errors.js";
import { type Connection, isBusy, isFull } from "./connection.js";

/**
 * A step that waits for its transaction. Running it returns the function that settles it after the commit.
 */
interface Step {
  readonly run: () => () => void;
  readonly reject: (error: unknown) => void;
  readonly durable: boolean;
  /** The number of transactions that could not begin because another process held the write lock. */
  attempts: number;
}

/**
 * How many times a step tries for the write lock before it fails, about four seconds in total, and the pause
 * between two tries in milliseconds. An early error with `Retry-After` is more useful to a caller than a
 * proxy's timeout.
 */
const maxAttempts = 90;
const retryEveryMs = 25;

/**
 * Collects the writing steps of one turn of the event loop into one transaction, because a commit costs far
 * more than a step. The promise of a step resolves after the commit. If a step throws, only that step is
 * rolled back.
 *
 * Business data must survive a power cut, so a batch with such a step waits for the disk. Windows and the
 * audit rows of reads need to survive only the end of the process.
 */
export class WriteBatcher {
  readonly #db: Connection;
  #steps: Step[] = [];
  #scheduled = false;
  #busy = false;
  #synchronous: "FULL" | "NORMAL" | null = null;
  #drained: (() => void)[] = [];

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Runs a step that survives a power cut once its promise resolves. */
  durable<Result>(step: () => Result): Promise<Result> {
    return this.#enqueue(step, true);
  }

  /** Runs a step whose result a power cut may lose. */
  volatile<Result>(step: () => Result): Promise<Result> {
    return this.#enqueue(step, false);
  }

  /** Resolves when no step is waiting. */
  drain(): Promise<void> {
    if (!this.#scheduled) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  #enqueue<Result>(step: () => Result, durable: boolean): Promise<Result> {
    return new Promise((resolve, reject) => {
      const run = () => {
        const result = step();
        return () => resolve(result);
      };
      this.#steps.push({ run, reject, durable, attempts: 0 });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    if (this.#busy) setTimeout(() => this.#flush(), retryEveryMs);
    else setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#scheduled = false;
    const steps = this.#steps;
    this.#steps = [];
    this.#busy = false;
    try {
      this.#start(steps.some((step) => step.durable) ? "FULL" : "NORMAL");
    } catch (error) {
      if (isBusy(error)) this.#waitForLock(steps, error);
      else for (const step of steps) step.reject(error);
    }
    if (this.#db.inTransaction) {
      for (const settle of this.#run(steps)) settle();
    }
    if (this.#steps.length > 0) this.#schedule();
    else for (const drained of this.#drained.splice(0)) drained();
  }

  /** Keeps the steps for the next try, and rejects those that have waited too long. */
  #waitForLock(steps: readonly Step[], cause: unknown): void {
    this.#busy = true;
    for (const step of steps) {
      if (++step.attempts < maxAttempts) this.#steps.push(step);
      else
        step.reject(
          new StoreUnavailableError("another process holds the lock of the database", { cause }),
        );
    }
  }

  #start(synchronous: "FULL" | "NORMAL"): void {
    this.#db.assertInPlace();
    if (this.#synchronous !== synchronous) {
      this.#db.exec(`PRAGMA synchronous = ${synchronous}`);
      this.#synchronous = synchronous;
    }
    this.#db.exec("BEGIN IMMEDIATE");
  }

  /** Runs the steps and commits; returns the functions that settle them. */
  #run(steps: readonly Step[]): (() => void)[] {
    try {
      const settles = steps.map((step) => this.#runAlone(step));
      this.#db.exec("COMMIT");
      return settles;
    } catch (error) {
      if (this.#db.inTransaction) this.#db.exec("ROLLBACK");
      const cause = isFull(error)
        ? new StoreUnavailableError("the disk of the database is full", { cause: error })
        : error;
      return steps.map((step) => () => step.reject(cause));
    }
  }

  #runAlone(step: Step): () => void {
    this.#db.exec("SAVEPOINT step");
    try {
      const settle = step.run();
      this.#db.exec("RELEASE step");
      return settle;
    } catch (error) {
      if (!this.#db.inTransaction) throw error; // the database failed and rolled the whole batch back
      this.#db.exec("ROLLBACK TO step; RELEASE step");
      return () => step.reject(error);
    }
  }
}
