/**
 * A request came back so late that its idempotency key has been released or claimed again. Issuing a
 * token for it could be a second one, so nothing was written; the caller may retry with the same key.
 */
export class ClaimLostError extends Error {
  override readonly name = "ClaimLostError";

  constructor() {
    super("the idempotency key is not held by this request any more");
  }
}
