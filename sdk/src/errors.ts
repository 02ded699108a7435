import type { ErrorCode, ErrorDetail, Scope } from "./generated/types.js";

/** The reason for a retry. */
export type RetryReason =
  | "connection"
  | "timeout"
  | "truncated"
  | "rate_limited"
  | "request_in_progress"
  | "request_timeout"
  | "server_error"
  /** The API key was refused, and there is another. */
  | "key_changed";

/** The facts about a failed call, from which an error is made. Default: nothing was sent. */
export interface ErrorInfo
  extends Partial<Pick<QueueApiError, "attempts" | "outcome" | "idempotencyKey" | "operation">>,
    Partial<Pick<QueueApiError, "method" | "path" | "headers" | "responseText">> {
  readonly cause?: unknown;
  /** Whether sending the request twice does no harm. Default: true. @internal */
  readonly isRepeatable?: boolean;
  /** Whether no part of the request was sent. Default: false. @internal */
  readonly isUnsent?: boolean;
  /** Why the client may send the request again. Default: it must not. @internal */
  readonly retryReason?: RetryReason | null;
}

/** How many causes the JSON of an error has at most: they can form a circle. */
const maxCauses = 4;

/** Kept apart from the errors, so that `console.log` shows an error without its many headers. */
const headersByError = new WeakMap<QueueApiError, Headers | undefined>();

/**
 * The base class of all errors of this package. `instanceof` works across two copies of the package. No
 * error contains the API key or any part of a request's body. The message names the called method.
 */
export class QueueApiError extends Error {
  /** Requests sent by the call, including the failed one; 0 if nothing was sent. */
  readonly attempts: number;
  /**
   * What the call has changed: `none` if nothing was sent, such as when the connection is refused, if it only reads, or
   * if the service refused it; `unknown` if it may have taken effect, such as after a lost response. Tell a customer that
   * there is no token only after `none`. After an `IdempotencyKeyReuseError`, an earlier call has created one.
   */
  readonly outcome: "none" | "unknown";
  /**
   * The idempotency key of a creation, or of a `request` with one: pass it again to repeat the same request. Null without
   * a key, with a wrong one, and if a call with `{ from }` is refused for its arguments or options.
   */
  readonly idempotencyKey: string | null;
  /** The called method, such as `entries.get`; null if the error is not that of one call. */
  readonly operation: string | null;
  /** The HTTP method; null if the error is not that of one call, or the method is wrong. */
  readonly method: string | null;
  /**
   * The path with `:name` for each parameter, such as `/v1/entries/:entryId`; with `request`, the path as it was given.
   * Null if the error is not that of one call, or the path is wrong.
   */
  readonly path: string | null;
  /**
   * Up to 200 characters of a response that is not from the service, such as the page of a gateway; otherwise
   * null. The API key is masked. Null after a request with a body, which the response may quote.
   */
  readonly responseText: string | null;

  constructor(message: string, info: ErrorInfo = {}) {
    super(message, info.cause === undefined ? undefined : { cause: info.cause });
    this.attempts = info.attempts ?? 0;
    this.outcome = info.outcome ?? "none";
    Object.defineProperty(this, "isRepeatable", { value: info.isRepeatable ?? true });
    Object.defineProperty(this, "isUnsent", { value: info.isUnsent ?? false });
    Object.defineProperty(this, "retryReason", { value: info.retryReason ?? null });
    this.idempotencyKey = info.idempotencyKey ?? null;
    this.operation = info.operation ?? null;
    this.method = info.method ?? null;
    this.path = info.path ?? null;
    this.responseText = info.responseText ?? null;
    headersByError.set(this, info.headers);
  }

  /**
   * The headers of the response; undefined without a response, because Fastify sends a 200 for an error whose headers are
   * null. If a header echoes the API key, the key is masked.
   */
  get headers(): Headers | undefined {
    return headersByError.get(this);
  }

  /**
   * Whether the same call may succeed later, and does no harm: the service or the network failed, a timeout expired, a
   * limit was reached, or the call was aborted. A job that failed with such an error can go back to its queue. Repeat
   * a creation with the same `idempotencyKey`, so that it creates one token. False after a redirect or a refusal that is
   * not from the service, and for a `request` that may have taken effect and has no key.
   */
  get isRetryable(): boolean {
    const isTimeout = this instanceof ApiError && this.status === 408;
    const isForeignSuccess = this instanceof UnexpectedResponseError && isSuccess(this.status);
    const isTransient = transient.some((errorClass) => this instanceof errorClass);
    const mayPass = isTimeout || isForeignSuccess || isTransient;
    return mayPass && (this.outcome === "none" || this.isRepeatable);
  }

  /** Whether sending the request twice does no harm. @internal */
  declare readonly isRepeatable: boolean;

  /** Whether no part of the last request was sent, for want of a connection. @internal */
  declare readonly isUnsent: boolean;

  /** Why the client may send the request again; null if it must not. @internal */
  declare readonly retryReason: RetryReason | null;

  /** All fields of the error, except the stack. Of its causes, the first four. */
  toJSON(): Record<string, unknown> {
    return jsonOf(this, maxCauses) as Record<string, unknown>;
  }
}

/** An error with its causes, or what was thrown instead: an object that is no error can hold anything. */
function jsonOf(thrown: unknown, depth: number): unknown {
  if (typeof thrown === "bigint") return String(thrown); // which JSON has not
  const isObject = typeof thrown === "object" && thrown !== null;
  if (!(thrown instanceof Error)) return isObject ? {} : thrown;
  const { name, message, code, cause } = thrown as Error & { code?: unknown };
  return {
    name,
    message,
    ...(thrown instanceof QueueApiError ? fieldsOf(thrown) : typeof code === "string" && { code }),
    ...(cause !== undefined && depth > 0 && { cause: jsonOf(cause, depth - 1) }),
  };
}

function fieldsOf(error: QueueApiError): object {
  const { isRetryable, headers } = error;
  return { ...error, isRetryable, headers: headers ? Object.fromEntries(headers) : null };
}

/** The content of an error response. Default: there was no response. */
export interface ApiErrorInfo
  extends ErrorInfo,
    Partial<Pick<ApiError, "status" | "code" | "requestId" | "docUrl">>,
    Partial<Pick<ApiError, "details" | "required" | "retryAfterMs">> {}

/**
 * The service refused the request, or failed to process it. Each case that a program handles differently
 * has a subclass; any other error response is an `ApiError` itself.
 */
export class ApiError extends QueueApiError {
  /**
   * The HTTP status of the response. Null if the client refused the call itself: for an argument (`InvalidRequestError`),
   * or because the call has no time to wait for the rate limit (`RateLimitError`), also after an earlier attempt.
   */
  readonly status: number | null;
  /** The error code, for programs to branch on; null if a gateway responded instead of the service. */
  readonly code: ErrorCode | null;
  /** The request id. Include it in reports to the operator of the service. */
  readonly requestId: string | null;
  /** URL of the error's documentation. */
  readonly docUrl: string | null;
  /** With `invalid_request`: the wrong fields with the reasons, of a response at most 20; otherwise empty. */
  readonly details: readonly ErrorDetail[];
  /** With `insufficient_scope`: the required scopes; otherwise empty. */
  readonly required: readonly Scope[];
  /** The wait that the service requests before the next attempt, in milliseconds. */
  readonly retryAfterMs: number | null;

  constructor(message: string, info: ApiErrorInfo) {
    super(message, info);
    this.status = info.status ?? null;
    this.code = info.code ?? null;
    this.requestId = info.requestId ?? null;
    this.docUrl = info.docUrl ?? null;
    this.details = info.details ?? [];
    this.required = info.required ?? [];
    this.retryAfterMs = info.retryAfterMs ?? null;
  }
}

/**
 * An option of the client or of a method is wrong, or is missing, such as the API key. A mistake in the
 * program: nothing was sent. The message names the option and states what is expected.
 */
export class InvalidOptionError extends QueueApiError {}

/**
 * The request is wrong (400, 413, 415), or an argument is wrong. In the second case nothing was sent,
 * `attempts` is 0, and the message states what is expected.
 */
export class InvalidRequestError extends ApiError {}

/** The key is missing, wrong, revoked or expired (401). */
export class AuthenticationError extends ApiError {}

/** The key lacks the permission, or the business's plan does not allow the request (403). */
export class PermissionError extends ApiError {}

/** The business has no such resource (404). */
export class NotFoundError extends ApiError {}

/** The state of the queue or of the entry does not allow the request (409). */
export class ConflictError extends ApiError {}

/** A creation with the same idempotency key is still in progress (409 `request_in_progress`). */
export class RequestInProgressError extends ApiError {}

/** The idempotency key was used for a different creation (422). */
export class IdempotencyKeyReuseError extends ApiError {}

/**
 * The key's rate limit is used up, or its IP address had too many failed sign-ins (429). With `attempts`
 * 0, nothing was sent, because the next window begins after the call's time limit; see `retryAfterMs`.
 */
export class RateLimitError extends ApiError {}

/** The service failed (5xx). */
export class ServerError extends ApiError {}

/**
 * No response arrived: the service could not be reached, or the connection broke. `cause` is a copy of the error that
 * says why: its name, message, code, stack and causes.
 */
export class ConnectionError extends QueueApiError {}

/** A timeout expired. */
export class TimeoutError extends QueueApiError {
  /** Which timeout expired: `timeoutMs` of one attempt, or `totalTimeoutMs` of the whole call. */
  readonly clock: "attempt" | "total";

  constructor(message: string, info: ErrorInfo & { readonly clock: "attempt" | "total" }) {
    super(message, info);
    this.clock = info.clock;
  }
}

/** The caller's signal ended the call. */
export class AbortError extends QueueApiError {
  /** The abort reason of the signal, which is also the `cause`. */
  get reason(): unknown {
    return this.cause;
  }
}

/** The response does not match the documented API: HTML, a truncated document, a redirect. */
export class UnexpectedResponseError extends QueueApiError {
  /** The HTTP status. */
  readonly status: number;
  readonly requestId: string | null;

  constructor(
    message: string,
    info: ErrorInfo & { readonly status: number; readonly requestId: string | null },
  ) {
    super(message, info);
    this.status = info.status;
    this.requestId = info.requestId;
  }
}

/** The errors whose cause may pass. */
const transient = [
  RequestInProgressError,
  RateLimitError,
  ServerError,
  ConnectionError,
  TimeoutError,
  AbortError,
];

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

const classes = {
  QueueApiError,
  ApiError,
  InvalidOptionError,
  InvalidRequestError,
  AuthenticationError,
  PermissionError,
  NotFoundError,
  ConflictError,
  RequestInProgressError,
  IdempotencyKeyReuseError,
  RateLimitError,
  ServerError,
  ConnectionError,
  TimeoutError,
  AbortError,
  UnexpectedResponseError,
};

// Loggers such as pino list the properties of an error, also the enumerable ones of its prototype.
Object.defineProperty(QueueApiError.prototype, "headers", { enumerable: true });

/*
 * Gives each class a name that minifiers keep, and a brand by which `instanceof` recognizes its errors from any
 * copy of the package.
 */
for (const [name, errorClass] of Object.entries(classes)) {
  const brand = Symbol.for(`@queue-api/sdk/${name}`);
  const hidden = { enumerable: false, configurable: true, writable: true };
  Object.defineProperty(errorClass.prototype, brand, { ...hidden, value: true });
  Object.defineProperty(errorClass.prototype, "name", { ...hidden, value: name });
  Object.defineProperty(errorClass, Symbol.hasInstance, {
    ...hidden,
    value(this: unknown, value: unknown): boolean {
      const derived = this !== errorClass; // a class of the user that extends this one
      if (derived) return Function.prototype[Symbol.hasInstance].call(this, value);
      return typeof value === "object" && value !== null && brand in value;
    },
  });
}
