import { StoreUnavailableError } from "../store/store-unavailable-error.js";
import type { Sleep } from "./story-time.js";

/** A simulation cannot start or continue. The message is one line with the reason, or with what to do. */
export class SimulationError extends Error {
  override readonly name: string = "SimulationError";
}

/** A later simulation of the same business has replaced this one. */
export class ReplacedError extends SimulationError {
  override readonly name = "ReplacedError";

  constructor(options: ErrorOptions) {
    super("another simulation of the business has begun, so this one has ended", options);
  }
}

/** Reports an outage once, until it is over. */
export class Troubles {
  readonly #tell: (line: string) => void;
  #told = false;

  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  begin(line: string): void {
    if (!this.#told) this.#tell(line);
    this.#told = true;
  }

  end(): void {
    this.#told = false;
  }
}

const askAgainMs = 1_000;

/** How to wait for a database. */
export interface Waiting {
  readonly sleep: Sleep;
  readonly troubles: Troubles;
  /** Ends the wait: the next failure is thrown. */
  readonly signal: AbortSignal;
}

/** Retries work until the database answers. */
export async function untilReachable<Result>(
  work: () => Promise<Result>,
  { sleep, troubles, signal }: Waiting,
): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || signal.aborted) throw error;
      troubles.begin("the database cannot be reached; trying again");
      await sleep(askAgainMs, signal);
    }
  }
}
