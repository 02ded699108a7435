/** A database could not be opened. The message is one line that says what to do. */
export class StoreOpenError extends Error {
  override readonly name = "StoreOpenError";
}

/** The error of an import that goes on although it was not begun, or `removeExpired` removed its records since. */
export function importTooLate(): Error {
  return new Error("the import paused for too long, and its records were removed: import again");
}

/** The database cannot be reached, or did not respond in time. It is unknown whether a write was applied. */
export class StoreUnavailableError extends Error {
  override readonly name = "StoreUnavailableError";
}
