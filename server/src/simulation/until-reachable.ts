import { StoreUnavailableError } from "../store/store-unavailable-error.js";
import type { Sleep } from "./pace.js";
import type { Troubles } from "./troubles.js";

const askAgainMs = 1_000;

/** What it takes to wait for a database. */
export interface Waiting {
  readonly sleep: Sleep;
  readonly troubles: Troubles;
  /** Ends the waiting: the next failure is thrown. */
  readonly signal: AbortSignal;
}

/** Works with a database, again and again until it can be reached. */
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
