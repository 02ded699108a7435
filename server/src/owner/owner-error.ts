/** Something the owner asked for cannot be done. The message is one line that says what to do. */
export class OwnerError extends Error {
  override readonly name = "OwnerError";
}
