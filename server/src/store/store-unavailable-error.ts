/** The database cannot be reached, or did not respond in time. It is unknown whether a write was applied. */
export class StoreUnavailableError extends Error {
  override readonly name = "StoreUnavailableError";
}
