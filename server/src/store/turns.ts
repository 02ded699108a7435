import type { Clock } from "../rules/ports.js";
import { StoreUnavailableError } from "./errors.js";

/** How long a task waits for its turn, in milliseconds. The tasks before it then wait for a database that is away. */
const longestWaitMs = 10_000;

/** Lets tasks with the same name run one after the other, in the order in which they came. */
export class Turns {
  readonly #elapsed: Clock;
  readonly #last = new Map<string, Promise<unknown>>();

  /** `elapsed`: milliseconds of a monotonic clock. */
  constructor(elapsed: Clock) {
    this.#elapsed = elapsed;
  }

  /**
   * Runs a task when the tasks before it have ended. `name`: null for a task that waits for no other.
   *
   * @throws StoreUnavailableError if it waited for too long; then it does not run.
   */
  take<Result>(name: string | null, task: () => Promise<Result>): Promise<Result> {
    if (name === null) return task();
    const before = this.#last.get(name);
    const cameAt = this.#elapsed();
    const result = before ? before.then(() => this.#runInTime(cameAt, task)) : task();
    const ended = result.then(nothing, nothing);
    this.#last.set(name, ended);
    void ended.then(() => {
      if (this.#last.get(name) === ended) this.#last.delete(name);
    });
    return result;
  }

  async #runInTime<Result>(cameAt: number, task: () => Promise<Result>): Promise<Result> {
    if (this.#elapsed() - cameAt > longestWaitMs) {
      throw new StoreUnavailableError("the operations before this one took too long");
    }
    return task();
  }
}

const nothing = () => {};
