// Made from the contract by `npm run generate --workspace sdk`; not to be edited.

/** Status, text and own headers of each error. */
export const refusals = {
  invalid_request: {
    status: 400,
    message: "The request is invalid. See details for the fields concerned.",
    headers: [],
  },
  invalid_json: { status: 400, message: "The request body is not valid JSON.", headers: [] },
  unauthorized: {
    status: 401,
    message: "The API key is missing or not valid.",
    headers: ["WWW-Authenticate"],
  },
  insufficient_scope: {
    status: 403,
    message: "The API key lacks a scope that this endpoint needs.",
    headers: [],
  },
  api_access_disabled: {
    status: 403,
    message: "API access is switched off for this business.",
    headers: [],
  },
  ip_not_allowed: {
    status: 403,
    message: "The API key may not be used from this address.",
    headers: [],
  },
  plan_limit_reached: {
    status: 403,
    message: "The business's plan allows no more tokens today.",
    headers: [],
  },
  not_found: { status: 404, message: "There is no such resource.", headers: [] },
  queue_paused: {
    status: 409,
    message: "The queue takes no new tokens at the moment.",
    headers: [],
  },
  queue_unavailable: { status: 409, message: "The queue is not active.", headers: [] },
  invalid_state: { status: 409, message: "The entry is not waiting.", headers: [] },
  request_in_progress: {
    status: 409,
    message: "A request with this Idempotency-Key is still running.",
    headers: ["Retry-After"],
  },
  payload_too_large: {
    status: 413,
    message: "The request body is larger than 32 KB.",
    headers: [],
  },
  unsupported_media_type: {
    status: 415,
    message: "The request body must be sent as application/json.",
    headers: [],
  },
  idempotency_key_reuse: {
    status: 422,
    message: "This Idempotency-Key was used with a different request.",
    headers: [],
  },
  rate_limited: {
    status: 429,
    message: "The rate limit of this API key is used up.",
    headers: ["Retry-After"],
  },
  too_many_failed_attempts: {
    status: 429,
    message: "Too many failed sign-ins came from this address.",
    headers: ["Retry-After"],
  },
  internal_error: {
    status: 500,
    message: "The service failed. Retry with the same Idempotency-Key.",
    headers: [],
  },
} as const;

/** The scope that each operation needs, and the errors that it can answer with. */
export const refusalsOf = {
  getMe: {
    scope: null,
    codes: [
      "invalid_request",
      "unauthorized",
      "api_access_disabled",
      "ip_not_allowed",
      "rate_limited",
      "too_many_failed_attempts",
      "internal_error",
    ],
  },
  listServices: {
    scope: "queue:read",
    codes: [
      "invalid_request",
      "unauthorized",
      "api_access_disabled",
      "ip_not_allowed",
      "rate_limited",
      "too_many_failed_attempts",
      "internal_error",
      "insufficient_scope",
    ],
  },
  listQueues: {
    scope: "queue:read",
    codes: [
      "invalid_request",
      "unauthorized",
      "api_access_disabled",
      "ip_not_allowed",
      "rate_limited",
      "too_many_failed_attempts",
      "internal_error",
      "insufficient_scope",
    ],
  },
  getQueue: {
    scope: "queue:read",
    codes: [
      "invalid_request",
      "unauthorized",
      "api_access_disabled",
      "ip_not_allowed",
      "rate_limited",
      "too_many_failed_attempts",
      "internal_error",
      "insufficient_scope",
      "not_found",
    ],
  },
  listEntries: {
    scope: "queue:read",
    codes: [
      "invalid_request",
      "unauthorized",
      "api_access_disabled",
      "ip_not_allowed",
      "rate_limited",
      "too_many_failed_attempts",
      "internal_error",
      "insufficient_scope",
      "not_found",
    ],
  },
  createEntry: {
    scope: "queue:write",
    codes: [
      "invalid_request",
      "unauthorized",
      "api_access_disabled",
      "ip_not_allowed",
      "rate_limited",
      "too_many_failed_attempts",
      "internal_error",
      "insufficient_scope",
      "not_found",
      "invalid_json",
      "payload_too_large",
      "unsupported_media_type",
      "plan_limit_reached",
      "queue_paused",
      "queue_unavailable",
      "request_in_progress",
      "idempotency_key_reuse",
    ],
  },
  getEntry: {
    scope: "queue:read",
    codes: [
      "invalid_request",
      "unauthorized",
      "api_access_disabled",
      "ip_not_allowed",
      "rate_limited",
      "too_many_failed_attempts",
      "internal_error",
      "insufficient_scope",
      "not_found",
    ],
  },
  cancelEntry: {
    scope: "queue:write",
    codes: [
      "invalid_request",
      "unauthorized",
      "api_access_disabled",
      "ip_not_allowed",
      "rate_limited",
      "too_many_failed_attempts",
      "internal_error",
      "insufficient_scope",
      "not_found",
      "invalid_json",
      "payload_too_large",
      "unsupported_media_type",
      "invalid_state",
    ],
  },
  listAppointments: {
    scope: "appointments:read",
    codes: [
      "invalid_request",
      "unauthorized",
      "api_access_disabled",
      "ip_not_allowed",
      "rate_limited",
      "too_many_failed_attempts",
      "internal_error",
      "insufficient_scope",
    ],
  },
  getAppointment: {
    scope: "appointments:read",
    codes: [
      "invalid_request",
      "unauthorized",
      "api_access_disabled",
      "ip_not_allowed",
      "rate_limited",
      "too_many_failed_attempts",
      "internal_error",
      "insufficient_scope",
      "not_found",
    ],
  },
} as const;

/** The one value of `WWW-Authenticate`. */
export const challenge = 'Bearer realm="queue-api"';
