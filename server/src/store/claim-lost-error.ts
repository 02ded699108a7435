/**
 * A request resumed so late that its idempotency key has been released or claimed again. Issuing its token
 * could create a second entry, so nothing was written. The caller may retry with the same key.
 */
export class ClaimLostError extends Error {
  override readonly name = "ClaimLostError";

  constructor() {
    super("this request no longer holds the idempotency key");
  }
}
