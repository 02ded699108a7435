import type { ErrorCode, ErrorDetail } from "@queue-api/contract";

/** What a refusal says beyond its code. */
export interface RefusalExtras {
  /** Every wrong field and why; on `invalid_request`. */
  readonly details?: readonly ErrorDetail[];
  /** The scopes that the endpoint needs; on `insufficient_scope`. */
  readonly required?: readonly string[];
  /** Seconds to wait; becomes the `Retry-After` header. */
  readonly retryAfterSeconds?: number;
}

/** A request that is answered with an error of the document. Thrown anywhere, answered in one place. */
export class Refusal extends Error {
  override readonly name = "Refusal";

  constructor(
    readonly code: ErrorCode,
    readonly extras: RefusalExtras = {},
    options?: ErrorOptions,
  ) {
    super(code, options);
  }
}

/** A refusal that names one wrong field. */
export function invalidField(field: string, message: string): Refusal {
  return new Refusal("invalid_request", { details: [{ field, message }] });
}
