import type { ErrorCode, ErrorDetail, Scope } from "./generated/types.js";

/**
 * Gives a class its name, which minifiers leave alone, and a brand by which `instanceof` knows its errors,
 * from whatever copy of the package they come.
 */
function named(errorClass: abstract new (...args: never[]) => Error, name: string): void {
  const brand = Symbol.for(`@queue-api/sdk/${name}`);
  const hidden = { enumerable: false, configurable: true, writable: true };
  Object.defineProperty(errorClass.prototype, brand, { ...hidden, value: true });
  Object.defineProperty(errorClass.prototype, "name", { ...hidden, value: name });
  Object.defineProperty(errorClass, Symbol.hasInstance, {
    ...hidden,
    value(this: unknown, value: unknown): boolean {
      const derived = this !== errorClass; // a class of somebody else's that extends this one
      if (derived) return Function.prototype[Symbol.hasInstance].call(this, value);
      return typeof value === "object" && value !== null && brand in value;
    },
  });
}

/** What is known of every failure of a call. */
export interface FailureInfo {
  /** Requests sent by the call, the failed one included; 0 when nothing was sent. */
  readonly attempts: number;
  /** The key under which a creation was asked; null for anything else, and where that key was refused. */
  readonly idempotencyKey: string | null;
  /** Name of the operation, as in the OpenAPI document. */
  readonly operation?: string | null;
  readonly method?: string | null;
  /** The path with `:name` for each parameter. */
  readonly path?: string | null;
  /** The headers of the answer. */
  readonly headers?: Headers | null;
  readonly cause?: unknown;
}

const nothingSent: FailureInfo = { attempts: 0, idempotencyKey: null };

/**
 * Everything that this package throws. `instanceof` holds across two copies of the package, and no
 * error carries the API key or anything of a request's body. The message names the method that was called.
 */
export class QueueApiError extends Error {
  /** Requests sent by the call, the failed one included; 0 when nothing was sent. */
  readonly attempts: number;
  /**
   * The key under which a creation was asked: give it again to ask for the same creation. Null for anything
   * else, and where that key was refused.
   */
  readonly idempotencyKey: string | null;
  /** Name of the operation, such as `getEntry`; null where no call was made. */
  readonly operation: string | null;
  /** The HTTP method; null where no call was made. */
  readonly method: string | null;
  /** The path with `:name` for each parameter, such as `/v1/entries/:entryId`; null where no call was made. */
  readonly path: string | null;
  /** The headers of the answer; null where none came. The API key is masked where one echoes it. */
  readonly headers: Headers | null;

  static {
    named(QueueApiError, "QueueApiError");
  }

  constructor(message: string, info: FailureInfo = nothingSent) {
    super(message, info.cause === undefined ? undefined : { cause: info.cause });
    this.attempts = info.attempts;
    this.idempotencyKey = info.idempotencyKey;
    this.operation = info.operation ?? null;
    this.method = info.method ?? null;
    this.path = info.path ?? null;
    this.headers = info.headers ?? null;
  }

  /** All that the error tells, but for the stack. */
  toJSON(): Record<string, unknown> {
    const { name, message, cause } = this;
    const rest = Object.fromEntries(Object.entries(this));
    const headers = this.headers && Object.fromEntries(this.headers);
    return { name, message, ...rest, headers, ...(cause !== undefined && { cause: told(cause) }) };
  }
}

/** What an error tells of its cause. */
function told(cause: unknown): unknown {
  if (cause instanceof QueueApiError) return cause.toJSON();
  if (!(cause instanceof Error)) return typeof cause === "object" && cause !== null ? {} : cause;
  const { name, message, code, cause: inner } = cause as Error & { code?: unknown };
  return {
    name,
    message,
    ...(typeof code === "string" && { code }),
    ...(inner !== undefined && { cause: told(inner) }),
  };
}

/** What an error answer said. */
export interface ApiErrorInfo extends FailureInfo {
  readonly status: number;
  readonly code: ErrorCode | null;
  readonly requestId: string | null;
  readonly docUrl: string | null;
  readonly details: readonly ErrorDetail[];
  readonly required: readonly Scope[];
  readonly retryAfterMs: number | null;
}

/**
 * The service refused the request, or failed to answer it. There is a class for each thing that a
 * program handles differently; an answer that fits none is an `ApiError` itself.
 */
export class ApiError extends QueueApiError {
  /** The HTTP status. */
  readonly status: number;
  /** What to branch on; null when a gateway answered in the service's place. */
  readonly code: ErrorCode | null;
  /** To quote to the people who run the service. */
  readonly requestId: string | null;
  /** Where the error is explained. */
  readonly docUrl: string | null;
  /** With `invalid_request`: every wrong field and why; otherwise empty. */
  readonly details: readonly ErrorDetail[];
  /** With `insufficient_scope`: the scopes that are needed; otherwise empty. */
  readonly required: readonly Scope[];
  /** How long the service asked to wait before the next attempt, in milliseconds. */
  readonly retryAfterMs: number | null;

  static {
    named(ApiError, "ApiError");
  }

  constructor(message: string, info: ApiErrorInfo) {
    super(message, info);
    this.status = info.status;
    this.code = info.code;
    this.requestId = info.requestId;
    this.docUrl = info.docUrl;
    this.details = info.details;
    this.required = info.required;
    this.retryAfterMs = info.retryAfterMs;
  }
}

/**
 * The request is wrong (400, 413, 415), or an argument or option is: then nothing was sent, `attempts` is 0,
 * and the message says what is wanted.
 */
export class InvalidRequestError extends ApiError {
  static {
    named(InvalidRequestError, "InvalidRequestError");
  }
}

/** The key is missing, wrong, revoked or expired (401). */
export class AuthenticationError extends ApiError {
  static {
    named(AuthenticationError, "AuthenticationError");
  }
}

/** The key may not do this, or the business's plan does not allow it (403). */
export class PermissionError extends ApiError {
  static {
    named(PermissionError, "PermissionError");
  }
}

/** The business has no such resource (404). */
export class NotFoundError extends ApiError {
  static {
    named(NotFoundError, "NotFoundError");
  }
}

/** The state of the queue or of the entry does not allow it (409). */
export class ConflictError extends ApiError {
  static {
    named(ConflictError, "ConflictError");
  }
}

/** The idempotency key was used for a different creation (422). */
export class IdempotencyKeyReuseError extends ApiError {
  static {
    named(IdempotencyKeyReuseError, "IdempotencyKeyReuseError");
  }
}

/** The key's rate limit is used up, or its address failed to sign in too often (429). */
export class RateLimitError extends ApiError {
  static {
    named(RateLimitError, "RateLimitError");
  }
}

/** The service failed (5xx). */
export class ServerError extends ApiError {
  static {
    named(ServerError, "ServerError");
  }
}

/** No answer came: the service could not be reached, or the connection broke. See `cause`. */
export class ConnectionError extends QueueApiError {
  static {
    named(ConnectionError, "ConnectionError");
  }
}

/** Time ran out. */
export class TimeoutError extends QueueApiError {
  /** Which clock ran out: `timeoutMs` of one attempt, or `totalTimeoutMs` of the whole call. */
  readonly clock: "attempt" | "total";

  static {
    named(TimeoutError, "TimeoutError");
  }

  constructor(message: string, info: FailureInfo & { readonly clock: "attempt" | "total" }) {
    super(message, info);
    this.clock = info.clock;
  }
}

/** The caller's signal ended the call. */
export class AbortError extends QueueApiError {
  static {
    named(AbortError, "AbortError");
  }

  /** What the signal was aborted with; the `cause` too. */
  get reason(): unknown {
    return this.cause;
  }
}

/** Something answered that is not the Queue API as it is documented: HTML, half a document, a redirect. */
export class UnexpectedResponseError extends QueueApiError {
  /** The HTTP status. */
  readonly status: number;
  readonly requestId: string | null;

  static {
    named(UnexpectedResponseError, "UnexpectedResponseError");
  }

  constructor(
    message: string,
    info: FailureInfo & { readonly status: number; readonly requestId: string | null },
  ) {
    super(message, info);
    this.status = info.status;
    this.requestId = info.requestId;
  }
}
