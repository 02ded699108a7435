import type { Clock } from "../rules/ports.js";
import { StoreUnavailableError } from "./errors.js";

/** For how long tasks wait while none of those before them succeeds, in milliseconds: the database is then away. */
const longestStandstillMs = 10_000;

/** The tasks with one name. */
interface Line {
  /** Ends with the last of them. */
  end: Promise<unknown>;
  /** When the first of them began, or the last one that could reach the database ended. */
  movedAt: number;
}

/** Lets tasks with the same name run one after the other, in the order in which they came. */
export class Turns {
  readonly #elapsed: Clock;
  readonly #lines = new Map<string, Line>();

  /** `elapsed`: milliseconds of a monotonic clock. */
  constructor(elapsed: Clock) {
    this.#elapsed = elapsed;
  }

  /**
   * Runs a task when the tasks before it have ended. `name`: null for a task that waits for no other.
   *
   * @throws StoreUnavailableError if those before it could not reach the database for too long; then it does not run.
   */
  take<Result>(name: string | null, task: () => Promise<Result>): Promise<Result> {
    if (name === null) return task();
    const known = this.#lines.get(name);
    const line = known ?? { end: Promise.resolve(), movedAt: this.#elapsed() };
    const result = known ? line.end.then(() => this.#runIfMoving(line, task)) : task();
    const ended = (error?: unknown) => {
      if (!(error instanceof StoreUnavailableError)) line.movedAt = this.#elapsed();
      if (line.end === end) this.#lines.delete(name);
    };
    const end: Promise<void> = result.then(() => ended(), ended);
    line.end = end;
    this.#lines.set(name, line);
    return result;
  }

  async #runIfMoving<Result>({ movedAt }: Line, task: () => Promise<Result>): Promise<Result> {
    if (this.#elapsed() - movedAt > longestStandstillMs) {
      throw new StoreUnavailableError(
        "the operations before this one could not reach the database",
      );
    }
    return task();
  }
}
