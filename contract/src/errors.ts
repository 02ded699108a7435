import { z } from "zod";
import { arrivalSeconds, limits } from "./limits.js";

/**
 * Every error that the service can return: its code, its status, its message, and when it occurs. The server,
 * the OpenAPI document and the clients all use this table.
 */
export const errors = {
  invalid_request: {
    status: 400,
    message: "The request is invalid. See details for the fields concerned.",
    when: "A field, query parameter or header is invalid or unknown, or the URL contains an API key. `details` names what is wrong, with the reasons.",
  },
  invalid_json: {
    status: 400,
    message: "The request body is not valid JSON.",
    when: "The body is not valid JSON.",
  },
  unauthorized: {
    status: 401,
    message: "The API key is missing or not valid.",
    when: "The key is missing, unknown, malformed, revoked or expired. The response does not say which.",
  },
  insufficient_scope: {
    status: 403,
    message: "The API key lacks a scope that this endpoint needs.",
    when: "The key lacks a scope that the endpoint needs. `required` lists the scopes that it needs.",
  },
  api_access_disabled: {
    status: 403,
    message: "API access is switched off for this business.",
    when: "The owner switched off developer access for the business.",
  },
  ip_not_allowed: {
    status: 403,
    message: "The API key may not be used from this address.",
    when: "The key has an IP allowlist, and the caller's address is not on it.",
  },
  plan_limit_reached: {
    status: 403,
    message: "The business's plan allows no more tokens today.",
    when: "A limit of the business's plan is reached, for example the daily token limit.",
  },
  not_found: {
    status: 404,
    message: "There is no such resource.",
    when: "The business has no resource with this id. The id of another business's resource gives the same error.",
  },
  request_timeout: {
    status: 408,
    message: "The request took too long to arrive.",
    when: `The headers did not arrive within ${arrivalSeconds.headers} seconds, or the whole request within ${arrivalSeconds.headersAndBody}. The service did nothing and closes the connection. Retry the request.`,
  },
  queue_paused: {
    status: 409,
    message: "The queue takes no new tokens at the moment.",
    when: "New tokens are paused for the queue.",
  },
  queue_unavailable: {
    status: 409,
    message: "The queue is not active.",
    when: "The queue is not active.",
  },
  invalid_state: {
    status: 409,
    message: "The entry is not waiting.",
    when: "The action is not possible in the entry's current state: the entry is no longer waiting.",
  },
  request_in_progress: {
    status: 409,
    message: "A request with this Idempotency-Key is still running.",
    when: "The first request with the same Idempotency-Key is still running.",
  },
  payload_too_large: {
    status: 413,
    message: `The request body is larger than ${limits.maxBodyBytes / 1024} KB.`,
    when: `The body is larger than ${limits.maxBodyBytes / 1024} KB, measured after decompression.`,
  },
  unsupported_media_type: {
    status: 415,
    message: "The request body must be sent as application/json.",
    when: "The body was not sent as `application/json`.",
  },
  idempotency_key_reuse: {
    status: 422,
    message: "This Idempotency-Key was used with a different request.",
    when: "The Idempotency-Key was used before with a different request.",
  },
  rate_limited: {
    status: 429,
    message: "The rate limit of this API key is used up.",
    when: "The key used up its limit of requests or of writes. `Retry-After` tells how long to wait.",
  },
  too_many_failed_attempts: {
    status: 429,
    message: "Too many failed sign-ins came from this address.",
    when: "The caller's address received too many 401 responses. `Retry-After` tells how long to wait.",
  },
  internal_error: {
    status: 500,
    message: "The service failed. Retry with the same Idempotency-Key.",
    when: "The service failed. Retry with the same Idempotency-Key.",
  },
} as const satisfies Record<string, { status: number; message: string; when: string }>;

/** A stable, machine-readable error code. */
export type ErrorCode = keyof typeof errors;

/** The HTTP status of a code. */
export type StatusOf<Code extends ErrorCode> = (typeof errors)[Code]["status"];

export const errorCodes = Object.keys(errors) as [ErrorCode, ...ErrorCode[]];

/** One invalid field of a request, and the reason. Never repeats the submitted value. */
export const errorDetail = z
  .object({
    field: z.string().describe("Name of the field, query parameter or header."),
    message: z.string().describe("Reason why it is invalid."),
  })
  .meta({
    id: "ErrorDetail",
    description:
      "One invalid field of a request, with the reason. It never contains the submitted value.",
    examples: [{ field: "phone", message: "is required" }],
  });

/**
 * An error. `code` is an open string, because a version may add codes. A client that does not know a code
 * uses the status.
 */
export const apiError = z
  .object({
    code: z.string().meta({
      description: `Stable error code for programs. Known values: ${errorCodes.join(", ")}. Later versions may add codes: handle an unknown code by its HTTP status.`,
      "x-extensible-enum": errorCodes,
      examples: ["not_found"],
    }),
    message: z.string().describe("Explanation for people. Do not parse it."),
    requestId: z.uuid().describe("Id of the request, the same as in the X-Request-Id header."),
    docUrl: z.url().describe("URL of the page that explains this error."),
    details: z
      .array(errorDetail)
      .optional()
      .describe(
        "Invalid fields, at most 20, with the reasons. The service checks in steps, so the corrected request can have others. Present only for `invalid_request`.",
      ),
    required: z
      .array(z.string())
      .optional()
      .describe("The scopes that the endpoint needs. Present only for `insufficient_scope`."),
  })
  .meta({ id: "Error", description: "An error." });

/** The body of every error response. */
export const errorResponse = z
  .object({ error: apiError })
  .meta({ id: "ErrorResponse", description: "The body of every error response." });

export type ErrorDetail = z.infer<typeof errorDetail>;
export type ApiError = z.infer<typeof apiError>;
export type ErrorResponse = z.infer<typeof errorResponse>;

/** The URL that explains an error: an anchor for the code, on a page of the developer reference. */
export function errorDocUrl(docsUrl: string, code: ErrorCode): string {
  return `${docsUrl}/errors#${code}`;
}
