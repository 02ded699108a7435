import type { Clock } from "../rules/ports.js";
import { StoreUnavailableError } from "./errors.js";

/** How long tasks wait while every task before them fails to reach the database, in milliseconds. */
const maxStandstillMs = 10_000;

/** The tasks that share a mutex. */
interface Tasks {
  /** Ends with the last of them. */
  end: Promise<unknown>;
  /** When the first of them began, or the last one that could reach the database ended. */
  movedAt: number;
}

/** A mutex for each key: tasks with the same key run one after the other, in the order in which they came. */
export class KeyedMutex {
  readonly #elapsed: Clock;
  readonly #tasks = new Map<string, Tasks>();

  /** `elapsed`: milliseconds of a monotonic clock. */
  constructor(elapsed: Clock) {
    this.#elapsed = elapsed;
  }

  /**
   * Runs a task when the tasks before it have ended. `key`: null for a task that waits for no other.
   *
   * @throws StoreUnavailableError if those before it could not reach the database for too long; then it does not run.
   */
  run<Result>(key: string | null, task: () => Promise<Result>): Promise<Result> {
    if (key === null) return task();
    const known = this.#tasks.get(key);
    const tasks = known ?? { end: Promise.resolve(), movedAt: this.#elapsed() };
    const result = known ? tasks.end.then(() => this.#runIfMoving(tasks, task)) : task();
    const ended = (error?: unknown) => {
      if (!(error instanceof StoreUnavailableError)) tasks.movedAt = this.#elapsed();
      if (tasks.end === end) this.#tasks.delete(key);
    };
    const end: Promise<void> = result.then(() => ended(), ended);
    tasks.end = end;
    this.#tasks.set(key, tasks);
    return result;
  }

  async #runIfMoving<Result>({ movedAt }: Tasks, task: () => Promise<Result>): Promise<Result> {
    if (this.#elapsed() - movedAt > maxStandstillMs) {
      throw new StoreUnavailableError(
        "the operations before this one could not reach the database",
      );
    }
    return task();
  }
}
