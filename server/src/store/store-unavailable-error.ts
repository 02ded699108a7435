/** The database cannot be reached, or did not answer in time. Whether a write was done is not known. */
export class StoreUnavailableError extends Error {
  override readonly name = "StoreUnavailableError";
}
