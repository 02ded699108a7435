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
import type { HttpAnswer } from "./transport/attempt.js";
import type { Failure } from "./transport/decide-retry.js";
import { retryAfter } from "./transport/retry-after.js";

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
export function readAnswer(
  operation: Operation,
  answer: HttpAnswer,
  now: number,
  info: FailureInfo,
): Reading {
  const { response, text } = answer;
  if (!response.ok) return readRefusal(answer, now, info);
  if (!isJson(response)) return unexpected(answer, "is not JSON", info);
  const document = parsed(text);
  if (document === undefined) return readFragment(answer, info);
  const fault =
    misfit(document, operation.paged ? { nextCursor: "string|null" } : {}) ??
    misfit(document, { data: operation.data });
  if (fault !== null) return unexpected(answer, `has the wrong shape: ${fault.slice(1)}`, info);
  return { envelope: document as Envelope };
}

/** A success that is no document. Where nothing vouches for the body's length, its end may be missing. */
function readFragment(answer: HttpAnswer, info: FailureInfo): Reading {
  const { headers } = answer.response;
  const whole = headers.has("content-length") || headers.has("transfer-encoding");
  const reading = unexpected(answer, "is JSON that breaks off or is malformed", info);
  return whole ? reading : { ...reading, failure: { kind: "truncated" } };
}

/** What gateways say in the service's place, without its envelope. */
const gatewayStatuses = new Set([408, 429]);

function readRefusal(answer: HttpAnswer, now: number, info: FailureInfo): Reading {
  const { response, text } = answer;
  const { status, headers } = response;
  const said = errorOf(parsed(text));
  if (!said && status < 500 && !gatewayStatuses.has(status)) {
    const redirect = status >= 300 && status < 400;
    return unexpected(answer, redirect ? "is a redirect" : "is no error of the service", info);
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
    retryAfterMs: retryAfter(headers.get("retry-after"), sentAt(headers) ?? now),
  });
  return { failure: { kind: "refused", status, code }, error };
}

function unexpected({ response }: HttpAnswer, what: string, info: FailureInfo) {
  const { status, headers } = response;
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
