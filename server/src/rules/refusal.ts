import type { ErrorCode, ErrorDetail } from "@queue-api/contract";

/** What a refusal contains in addition to its code. */
export interface RefusalExtras {
  /** Every invalid field and the reason; for `invalid_request`. */
  readonly details?: readonly ErrorDetail[];
  /** The scopes that the endpoint needs; for `insufficient_scope`. */
  readonly required?: readonly string[];
  /** Seconds to wait; becomes the `Retry-After` header. */
  readonly retryAfterSeconds?: number;
}

/** An error that the document defines. Any code may throw it; one place turns it into a response. */
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

/** A refusal that names one invalid field. */
export function invalidField(field: string, message: string): Refusal {
  return new Refusal("invalid_request", { details: [{ field, message }] });
}
