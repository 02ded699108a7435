import {
  ApiError,
  type ApiErrorInfo,
  AuthenticationError,
  ConflictError,
  type FailureInfo,
  IdempotencyKeyReuseError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  UnexpectedResponseError,
} from "./errors.js";
import type { ErrorDetail } from "./generated/types.js";
import type { Operation } from "./operation.js";
import { misfit } from "./shape.js";
import { type Failure, retryAfter } from "./transport/retry.js";
import type { Answer } from "./transport/whole-fetch.js";

/** The document of a success, checked. */
export interface Envelope {
  readonly data: unknown;
  readonly nextCursor?: string | null;
}

/** How an answer is to be taken. */
export type Reading =
  | { readonly envelope: Envelope }
  | { readonly failure: Failure; readonly error: ApiError | UnexpectedResponseError };

/** Reads an answer: a success of the right shape, an error of the service, or neither. */
export function readAnswer(operation: Operation, answer: Answer, info: FailureInfo): Reading {
  const { text } = answer;
  const { status } = answer.response;
  if (text === null) return unexpected(answer.response, "is longer than any of the service", info);
  if (status < 200 || status > 299) return readRefusal(answer.response, text, info);
  if (!isJson(answer.response)) return unexpected(answer.response, "is not JSON", info);
  const document = parsed(text);
  if (document === undefined) return readFragment(answer.response, info);
  const replayed = answer.response.headers.get("idempotent-replay") === "true";
  const fault =
    misfit(document, operation.paged ? { nextCursor: "string|null" } : {}) ??
    (replayed ? misfit(document, { data: {} }) : null) ??
    misfit(document, { data: operation.data }, replayed);
  if (fault !== null) {
    return unexpected(answer.response, `has the wrong shape: ${fault.slice(1)}`, info);
  }
  return { envelope: document as Envelope };
}

/** A success that is no document. Where nothing vouches for the body's length, its end may be missing. */
function readFragment(response: Response, info: FailureInfo): Reading {
  const { headers } = response;
  const whole = headers.get("content-length") ?? headers.get("transfer-encoding");
  const reading = unexpected(response, "is JSON that breaks off or is malformed", info);
  return whole !== null ? reading : { ...reading, failure: { kind: "truncated" } };
}

/** What gateways say in the service's place, without its envelope. */
const gatewayStatuses = new Set([408, 429]);

function readRefusal(response: Response, text: string, info: FailureInfo): Reading {
  const { status, headers } = response;
  const said = errorOf(parsed(text));
  if (!said && status < 500 && !gatewayStatuses.has(status)) {
    const redirect = response.type === "opaqueredirect" || (status >= 300 && status < 400);
    return unexpected(response, redirect ? "is a redirect" : "is no error of the service", info);
  }
  const code = said?.code ?? null;
  const ErrorClass = errorClass(status, code);
  const error = new ErrorClass(said?.message ?? `A gateway answered with status ${status}.`, {
    ...info,
    status,
    code,
    requestId: said?.requestId ?? headers.get("x-request-id"),
    docUrl: said?.docUrl ?? null,
    details: said?.details ?? [],
    required: said?.required ?? [],
    retryAfterMs: retryAfter(headers.get("retry-after"), sentAt(headers) ?? Date.now()),
  });
  return { failure: { kind: "refused", status, code }, error };
}

function unexpected({ status, headers }: Response, what: string, info: FailureInfo) {
  const type = headers.get("content-type")?.split(";")[0] ?? "no content type";
  const requestId = headers.get("x-request-id");
  const message = `The answer (${status}, ${type}) ${what}.`;
  return {
    failure: { kind: "unexpected" } as Failure,
    error: new UnexpectedResponseError(message, { ...info, status, requestId }),
  };
}

/** When the answer was sent by its own clock, so that a date in it is not compared with ours. */
function sentAt(headers: Headers): number | null {
  const date = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(date) ? null : date;
}

function isJson({ headers }: Response): boolean {
  return /^application\/([a-z.-]+\+)?json\b/i.test(headers.get("content-type") ?? "");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no document of JSON is undefined
  }
}

interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly requestId?: string | undefined;
  readonly docUrl?: string | undefined;
  readonly details?: ErrorDetail[] | undefined;
  readonly required?: string[] | undefined;
}

/** The error of an envelope, with what of it has the right shape; null when it is none. */
function errorOf(document: unknown): ErrorBody | null {
  if (misfit(document, { error: { code: "string", message: "string" } }) !== null) return null;
  const { error } = document as { error: ErrorBody };
  const { code, message } = error;
  const { requestId, docUrl, details, required } = error;
  return {
    code,
    message,
    requestId: misfit(requestId, "string") === null ? requestId : undefined,
    docUrl: misfit(docUrl, "string") === null ? docUrl : undefined,
    details:
      misfit(details, [{ field: "string", message: "string" }]) === null ? details : undefined,
    required: misfit(required, ["string"]) === null ? required : undefined,
  };
}

type ApiErrorClass = new (message: string, info: ApiErrorInfo) => ApiError;

/** The class of a status. A code that is not known yet makes no difference. */
function errorClass(status: number, code: string | null): ApiErrorClass {
  if (code === "idempotency_key_reuse") return IdempotencyKeyReuseError;
  if (status >= 500) return ServerError;
  return classes[status] ?? ApiError;
}

const classes: Readonly<Record<number, ApiErrorClass>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  413: InvalidRequestError,
  415: InvalidRequestError,
  422: InvalidRequestError,
  429: RateLimitError,
};
