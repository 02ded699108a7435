import { sentences } from "./arguments.js";
import {
  ApiError,
  type ApiErrorInfo,
  AuthenticationError,
  ConflictError,
  IdempotencyKeyReuseError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RequestInProgressError,
  ServerError,
  UnexpectedResponseError,
} from "./errors.js";
import { errorCodes } from "./generated/operations.js";
import { retryReason } from "./http/retry.js";
import { type Envelope, type Shape, titleOf } from "./operation.js";
import type { Redactor } from "./redact.js";
import type { Reader } from "./task.js";

export type Reading = Envelope | ApiError | UnexpectedResponseError;

export function readResponse(response: Response, text: string, reader: Reader): Reading {
  const { operation } = reader;
  const { status } = response;
  if (status < 200 || status > 299) return readErrorResponse(response, text, reader);
  if (operation.data === null && text === "") return { data: undefined };
  if (!isJson(response)) {
    const mayHoldData = /^\s*[{[]/.test(text); // JSON of the service, with a content type of a gateway
    return unexpected(response, mayHoldData ? null : text, "is not JSON", reader);
  }
  const document = parsed(text);
  if (document === undefined) return readFragment(response, reader);
  if (operation.data === null) return { data: document };
  const { data, isPage } = operation;
  const found = mismatch(document, { data, ...(isPage && { nextCursor: "string|null" }) });
  if (found !== null) {
    return unexpected(response, null, `has the wrong shape: ${found.slice(1)}`, reader);
  }
  return document as Envelope;
}

export function isReplay({ headers }: Response): boolean {
  return headers.get("idempotent-replay") === "true";
}

/** The request id of a response; null if it has none. */
export function requestIdOf({ headers }: Response, redactor: Redactor): string | null {
  const id = headers.get("x-request-id");
  return id && redactor.text(id);
}

/** A success whose body is not a document. Without a declared length, the body may be truncated. */
function readFragment(response: Response, reader: Reader): UnexpectedResponseError {
  const { headers } = response;
  const isWhole = headers.has("content-length") || headers.has("transfer-encoding");
  const info = { ...reader.info, retryReason: isWhole ? null : ("truncated" as const) };
  const what = "is truncated or malformed JSON";
  return unexpected(response, null, what, { ...reader, info });
}

/** Statuses that gateways send instead of the service, without its envelope. */
const gatewayStatuses = new Set([408, 429]);

function readErrorResponse(response: Response, text: string, reader: Reader) {
  const { operation, info, redactor } = reader;
  const { status } = response;
  const body = errorOf(parsed(redactor.text(text)), reader);
  if (!body && status < 500 && !gatewayStatuses.has(status)) {
    const what = isRedirect(response)
      ? "is a redirect: the address redirects, and the client does not follow"
      : "is not an error response of the service";
    return unexpected(response, text, what, reader);
  }
  const { headers } = response;
  const code = body?.code ?? null;
  const byStatus = status >= 500 ? ServerError : classes.get(status);
  const ErrorClass = classes.get(code) ?? byStatus ?? ApiError; // an unknown code changes nothing
  const label = code === null ? status : `${status} ${code}`;
  const what = body === null ? "a gateway responded." : explained(body);
  return new ErrorClass(`${titleOf(operation)}: ${label}: ${what}`, {
    ...info,
    ...body,
    headers: maskedHeaders(response, reader),
    status,
    responseText: body === null ? excerpt(text, reader) : null,
    requestId: body?.requestId ?? requestIdOf(response, redactor),
    retryAfterMs: retryAfter(headers.get("retry-after"), sentAt(headers) ?? Date.now()),
    retryReason: retryReason(status, code),
  });
}

function isRedirect({ type, status }: Response): boolean {
  return type === "opaqueredirect" || [301, 302, 303, 307, 308].includes(status);
}

/** The text of an error for people: the wrong fields, or the service's message with the missing scopes. */
function explained({ message, details, required }: ErrorBody): string {
  if (details.length > 0) return sentences(details);
  return required.length > 0 ? `${message} Required: ${required.join(", ")}.` : message;
}

/** The beginning of a response that is not from the service; null if it can quote a body. Masked before it is cut. */
function excerpt(text: string, { redactor, body }: Reader): string | null {
  return body === undefined ? redactor.text(text).slice(0, 200) : null;
}

/** The headers in which nobody echoes a body. A short name, such as May, is no part of it there. */
const unmaskedHeaders = ["content-type", "date", "retry-after", "x-request-id"];

/** The headers of a response for an error. A gateway can echo the key or the body in them. */
function maskedHeaders({ headers }: Response, { redactor, body }: Reader): Headers {
  const masked = redactor.andBody(body).headers(headers);
  for (const name of unmaskedHeaders) {
    const value = headers.get(name);
    if (value !== null) masked.set(name, redactor.text(value));
  }
  return masked;
}

/** @param text - What a gateway sent; null for a response that may hold data of the service. */
function unexpected(response: Response, text: string | null, what: string, reader: Reader) {
  const { operation, info, redactor } = reader;
  const { status } = response;
  const headers = maskedHeaders(response, reader);
  const type = headers.get("content-type")?.split(";")[0] ?? "no content type";
  const requestId = requestIdOf(response, redactor);
  const message = `${titleOf(operation)}: the response (${status}, ${type}) ${what}.`;
  const responseText = text === null ? null : excerpt(text, reader);
  return new UnexpectedResponseError(message, {
    ...info,
    headers,
    status,
    requestId,
    responseText,
  });
}

/** The wait in milliseconds that a `Retry-After` header requests by seconds or a date; null if it is absent or invalid. */
function retryAfter(value: string | null, now: number): number | null {
  const text = value ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  if (!/^[A-Za-z]{3}/.test(text)) return null; // Date.parse would read "-5" as a year
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** When the response was sent, by the server's clock. Dates in the response are compared with this time. */
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
    return undefined; // no JSON document parses to undefined
  }
}

/** The error of an envelope. Its other fields are left out if they have the wrong shape. */
interface ErrorBody extends Pick<ApiError, "requestId" | "docUrl" | "details" | "required"> {
  readonly code: string;
  readonly message: string;
}

/**
 * The error of an envelope. The service never repeats a value of the body, but a gateway with envelopes of its
 * own may. So each text of an error with an unknown code is masked with the body too. Those of the service are not:
 * a short name can be a part of any text.
 */
function errorOf(document: unknown, { redactor, body }: Reader): ErrorBody | null {
  if (mismatch(document, { error: { code: "string", message: "string" } }) !== null) return null;
  const { error } = document as { error: ErrorBody };
  const masking = errorCodes.has(error.code) ? redactor : redactor.andBody(body);
  const masked = (text: string) => masking.text(text);
  const given = <Value>(value: Value, shape: Shape, otherwise: Value): Value =>
    mismatch(value, shape) === null ? value : otherwise;
  const details = given(error.details, [{ field: "string", message: "string" }], []);
  const requestId = given(error.requestId, "string", null);
  const docUrl = given(error.docUrl, "string", null);
  return {
    code: masked(error.code),
    message: masked(error.message),
    requestId: requestId && masked(requestId),
    docUrl: docUrl && masked(docUrl),
    details: details.map(({ field, message }) => ({
      field: masked(field),
      message: masked(message),
    })),
    required: given(error.required, ["string"], []).map((scope) => masked(scope)),
  };
}

type ApiErrorClass = new (message: string, info: ApiErrorInfo) => ApiError;

const classes = new Map<string | number | null, ApiErrorClass>([
  ["idempotency_key_reuse", IdempotencyKeyReuseError],
  ["request_in_progress", RequestInProgressError],
  [400, InvalidRequestError],
  [401, AuthenticationError],
  [403, PermissionError],
  [404, NotFoundError],
  [409, ConflictError],
  [413, InvalidRequestError],
  [415, InvalidRequestError],
  [422, InvalidRequestError],
  [429, RateLimitError],
]);

/**
 * The first mismatch between a value and a shape, as `.customer.name must be string|null`, or null if the
 * value matches. Never includes the value.
 */
function mismatch(value: unknown, shape: Shape): string | null {
  if (typeof shape === "string") {
    const kind = value === null ? "null" : typeof value;
    return shape.includes(kind) ? null : ` must be ${shape}`;
  }
  const isList = Array.isArray(shape);
  const isRight = isList ? Array.isArray(value) : typeof value === "object" && value !== null;
  if (!isRight) return isList ? " must be a list" : " must be an object";
  for (const name of Object.keys(isList ? (value as object) : shape)) {
    const part = (value as Record<string, unknown>)[name];
    const found = mismatch(part, (isList ? shape[0] : shape[name as never]) as Shape);
    if (found !== null) return isList ? `[${name}]${found}` : `.${name}${found}`;
  }
  return null;
}
