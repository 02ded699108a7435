import type { ErrorCode, ErrorDetail } from "@queue-api/contract";

/** What an API error contains in addition to its code. */
export interface ApiErrorExtras {
  /** Every invalid field and the reason; for `invalid_request`. */
  readonly details?: readonly ErrorDetail[];
  /** The scopes that the endpoint needs; for `insufficient_scope`. */
  readonly required?: readonly string[];
  /** Seconds to wait; becomes the `Retry-After` header. */
  readonly retryAfterSeconds?: number;
}

/** An error that the document defines. Any code may throw it; one place turns it into a response. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    readonly code: ErrorCode,
    readonly extras: ApiErrorExtras = {},
    options?: ErrorOptions,
  ) {
    super(code, options);
  }
}

/** An error that names one invalid field. */
export function invalidField(field: string, message: string): ApiError {
  return new ApiError("invalid_request", { details: [{ field, message }] });
}
