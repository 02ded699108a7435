import type { KeptWrite } from "./port.js";

/** A database could not be opened. The message is one line that says what to do. */
export class StoreOpenError extends Error {
  override readonly name = "StoreOpenError";
}

/** The database cannot be reached, or did not respond in time. It is unknown whether a write was applied. */
export class StoreUnavailableError extends Error {
  override readonly name = "StoreUnavailableError";
}

/** Ends a run of an operation, which then runs again. */
export class RunAgain extends Error {
  override readonly name = "RunAgain";

  /** `first`: what is written before the next run. Default: null, nothing. */
  constructor(readonly first: KeptWrite | null = null) {
    super("the operation must run again");
  }
}
