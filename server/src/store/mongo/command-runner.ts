import { setTimeout as pause } from "node:timers/promises";
import { StoreUnavailableError } from "../errors.js";
import { isBrokenSocket, isConflict, isUnavailable } from "./errors.js";

/**
 * The time limit of a command. The driver's own ones apply first, but it waits without end for a socket that closed
 * before a command was written to it. Its option `timeoutMS` has no effect.
 */
const commandMs = 15_000;

/**
 * How soon a command must have failed to be sent again. A broken connection fails at once. A database that is away or
 * frozen has already used up the time of the request.
 */
export const soonMs = 1_500;

/** How often a command is sent again that the server ended because of a conflict. */
const maxConflicts = 20;

/** The longest pause before a command is sent again, in milliseconds. */
const maxRetryDelayMs = 50;

/** How long every command must have failed before the connection is made again. */
const reconnectAfterMs = 8_000;

/** Sends commands to the database. */
export class CommandRunner {
  readonly #reconnect: () => void;
  #failingSince: number | null = null;

  /** `reconnect` is called when commands have failed for a while and none has succeeded. */
  constructor(reconnect: () => void) {
    this.#reconnect = reconnect;
  }

  /**
   * Sends a command once.
   *
   * @throws StoreUnavailableError if the database cannot be reached, or does not respond in time.
   */
  async once<Result>(command: () => PromiseLike<Result>): Promise<Result> {
    try {
      const result = await inTime(command);
      this.#failingSince = null;
      return result;
    } catch (cause) {
      if (!isUnavailable(cause)) throw cause;
      this.#failed();
      if (cause instanceof StoreUnavailableError) throw cause;
      throw new StoreUnavailableError("the database cannot be reached", { cause });
    }
  }

  /**
   * Sends a command that has the same result when it is sent again, such as a read. Throws as `once` does.
   *
   * A primary that steps down closes all connections. The driver may then give a command one closed connection after
   * another, so the command is sent until it gets an open one. After any other failure it is sent once more, because
   * the driver itself has waited for a server.
   */
  async repeatable<Result>(command: () => PromiseLike<Result>): Promise<Result> {
    const began = performance.now();
    for (let conflicts = 0, failures = 0; ; ) {
      try {
        return await this.once(command);
      } catch (error) {
        if (isConflict(error)) conflicts++;
        else if (error instanceof StoreUnavailableError) failures++;
        else throw error;
        const isLate = performance.now() - began > soonMs;
        const isEnough = failures > 1 && !isBrokenSocket((error as Error).cause);
        if (conflicts > maxConflicts || (failures > 0 && isLate) || isEnough) throw error;
        await pause(Math.random() * maxRetryDelayMs);
      }
    }
  }

  #failed(): void {
    const now = performance.now();
    this.#failingSince ??= now;
    if (now - this.#failingSince <= reconnectAfterMs) return;
    this.#failingSince = now;
    this.#reconnect();
  }
}

/** @throws StoreUnavailableError if the response takes too long. */
export function inTime<Result>(command: () => PromiseLike<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new StoreUnavailableError("the database did not respond in time"));
    const timer = setTimeout(late, commandMs).unref();
    const ended = () => clearTimeout(timer);
    command().then(resolve, reject).then(ended, ended);
  });
}
