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
import type { Failure } from "./transport/decide-retry.js";
import type { HttpAnswer } from "./transport/exchange.js";
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
  const { status, text } = answer;
  if (text === null) return unexpected(answer, "is longer than any of the service", info);
  if (status < 200 || status > 299) return readRefusal(answer, text, now, info);
  if (!isJson(answer)) return unexpected(answer, "is not JSON", info);
  const document = parsed(text);
  if (document === undefined) return readFragment(answer, info);
  const replayed = answer.header("idempotent-replay") === "true";
  const fault =
    misfit(document, operation.paged ? { nextCursor: "string|null" } : {}) ??
    (replayed ? misfit(document, { data: {} }) : null) ??
    misfit(document, { data: operation.data }, replayed);
  if (fault !== null) return unexpected(answer, `has the wrong shape: ${fault.slice(1)}`, info);
  return { envelope: document as Envelope };
}

/** A success that is no document. Where nothing vouches for the body's length, its end may be missing. */
function readFragment(answer: HttpAnswer, info: FailureInfo): Reading {
  const whole = answer.header("content-length") ?? answer.header("transfer-encoding");
  const reading = unexpected(answer, "is JSON that breaks off or is malformed", info);
  return whole !== null ? reading : { ...reading, failure: { kind: "truncated" } };
}

/** What gateways say in the service's place, without its envelope. */
const gatewayStatuses = new Set([408, 429]);

function readRefusal(answer: HttpAnswer, text: string, now: number, info: FailureInfo): Reading {
  const { status } = answer;
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
    requestId: said?.requestId ?? answer.header("x-request-id"),
    docUrl: said?.docUrl ?? null,
    details: said?.details ?? [],
    required: said?.required ?? [],
    retryAfterMs: retryAfter(answer.header("retry-after"), sentAt(answer) ?? now),
  });
  return { failure: { kind: "refused", status, code }, error };
}

function unexpected(answer: HttpAnswer, what: string, info: FailureInfo) {
  const { status } = answer;
  const type = answer.header("content-type")?.split(";")[0] ?? "no content type";
  const requestId = answer.header("x-request-id");
  const message = `The answer (${status}, ${type}) ${what}.`;
  return {
    failure: { kind: "unexpected" } as Failure,
    error: new UnexpectedResponseError(message, { ...info, status, requestId }),
  };
}

/** When the answer was sent by its own clock, so that a date in it is not compared with ours. */
function sentAt(answer: HttpAnswer): number | null {
  const date = Date.parse(answer.header("date") ?? "");
  return Number.isNaN(date) ? null : date;
}

function isJson(answer: HttpAnswer): boolean {
  return /^application\/([a-z.-]+\+)?json\b/i.test(answer.header("content-type") ?? "");
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
