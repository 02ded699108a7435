import { StoreUnavailableError } from "../errors.js";
import type { Connection } from "./connection.js";
import { isBusy, isFull } from "./result-codes.js";

/** A call of an operation, which settles after the commit. */
interface Call {
  readonly given: readonly unknown[];
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A `durable` step survives a power cut once its promise resolves, a `volatile` one the end of the process. */
type Durability = "durable" | "volatile";

/** Steps that run calls in the same way, in order. Running them returns the result of each. */
interface Kind {
  readonly run: (calls: readonly (readonly unknown[])[]) => readonly unknown[];
  readonly how: Durability;
}

/** A step that waits for its transaction: one call, or several of one kind. */
interface Step extends Kind {
  readonly calls: Call[];
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
 * more than a step. The promise of a call resolves after the commit. If a step throws, only that step is
 * rolled back.
 *
 * Business data must survive a power cut, so a batch with such a step waits for the disk. Windows and the
 * audit rows of reads need to survive only the end of the process.
 */
export class WriteBatcher {
  readonly #db: Connection;
  #steps: Step[] = [];
  /** The steps that take further calls of their kind. */
  readonly #gathering = new Map<Kind, Step>();
  #scheduled = false;
  #busy = false;
  #synchronous: "FULL" | "NORMAL" | null = null;
  #drained: (() => void)[] = [];

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Runs a step after the earlier ones, and before the later ones. */
  alone<Result>(how: Durability, step: () => Result): Promise<Result> {
    this.#gathering.clear();
    return this.#enqueue({ run: () => [step()], how }, []);
  }

  /**
   * Makes an operation whose calls wait for a transaction as one step, so that they share what it reads. If the
   * step throws, each call runs alone. Only calls of operations that are made here may run before an earlier one.
   */
  together<Given extends readonly unknown[], Result>(
    how: Durability,
    run: (calls: readonly Given[]) => readonly Result[],
  ): (...given: Given) => Promise<Result> {
    const kind = { run: run as unknown as Kind["run"], how };
    return (...given) => this.#enqueue(kind, given, this.#gathering);
  }

  /** Resolves when no step is waiting. */
  drain(): Promise<void> {
    if (!this.#scheduled) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  #enqueue<Result>(
    kind: Kind,
    given: readonly unknown[],
    gathering?: Map<Kind, Step>,
  ): Promise<Result> {
    return new Promise<unknown>((resolve, reject) => {
      const call = { given, resolve, reject };
      const open = gathering?.get(kind);
      if (open) {
        open.calls.push(call);
        return;
      }
      const step = { calls: [call], attempts: 0, ...kind };
      this.#steps.push(step);
      gathering?.set(kind, step);
      this.#schedule();
    }) as Promise<Result>;
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
    this.#gathering.clear();
    this.#busy = false;
    try {
      this.#start(steps.some(({ how }) => how === "durable") ? "FULL" : "NORMAL");
      for (const settle of this.#run(steps)) settle();
    } catch (error) {
      if (isBusy(error)) this.#waitForLock(steps, error);
      else for (const step of steps) rejected(step, error)();
    }
    if (this.#steps.length > 0) this.#schedule();
    else for (const drained of this.#drained.splice(0)) drained();
  }

  /** Keeps the steps for the next try, and rejects those that have waited too long. */
  #waitForLock(steps: readonly Step[], cause: unknown): void {
    this.#busy = true;
    for (const step of steps) {
      if (++step.attempts < maxAttempts) this.#steps.push(step);
      else {
        const message = "another process holds the lock of the database";
        rejected(step, new StoreUnavailableError(message, { cause }))();
      }
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
      return steps.map((step) => rejected(step, cause));
    }
  }

  #runAlone(step: Step): () => void {
    this.#db.exec("SAVEPOINT step");
    try {
      const results = step.run(step.calls.map(({ given }) => given));
      this.#db.exec("RELEASE step");
      return () => {
        for (const [at, { resolve }] of step.calls.entries()) resolve(results[at]);
      };
    } catch (error) {
      if (!this.#db.inTransaction) throw error; // the database failed and rolled the whole batch back
      this.#db.exec("ROLLBACK TO step; RELEASE step");
      if (step.calls.length === 1) return rejected(step, error);
      const settles = step.calls.map((call) => this.#runAlone({ ...step, calls: [call] }));
      return () => {
        for (const settle of settles) settle();
      };
    }
  }
}

/** The function that rejects every call of a step. */
function rejected({ calls }: Step, error: unknown): () => void {
  return () => {
    for (const { reject } of calls) reject(error);
  };
}
