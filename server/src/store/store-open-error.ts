/** A database could not be opened. The message is one line that says what to do. */
export class StoreOpenError extends Error {
  override readonly name = "StoreOpenError";
}
