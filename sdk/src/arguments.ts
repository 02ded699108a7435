import {
  limits,
  missingMessage,
  notTextMessage,
  pageSizeMessages,
  type TextRule,
  textRules,
} from "@queue-api/contract";
import { InvalidRequestError } from "./errors.js";
import type { ErrorDetail } from "./generated/types.js";
import { isHeader } from "./headers.js";
import type { CreateOptions } from "./options.js";

/** What a method was given. */
export interface Arguments {
  readonly params?: object | undefined;
  readonly query?: object | undefined;
  /** Absent for an operation without a body. */
  readonly body?: unknown;
}

/** What is wrong with a value; null when nothing is. Never repeats the value. */
type Check = (value: unknown) => string | null;
type Checks = Readonly<Record<string, Check>>;

/**
 * Fails where the service would, with the same details, but before anything is sent.
 *
 * @throws {InvalidRequestError} Its `details` name every wrong argument and never its value.
 */
export function checkArguments(given: Arguments, options?: CreateOptions): void {
  const details: ErrorDetail[] = [];
  if (given.params) checkFields(given.params, paramChecks, details);
  if (options) checkOptions(options, details);
  if (given.query !== undefined) checkQuery(given.query, details);
  if ("body" in given) checkBody(given.body, details);
  if (details.length > 0) throw invalidArguments(details);
}

/** The error that the service would answer with. */
function invalidArguments(details: readonly ErrorDetail[]): InvalidRequestError {
  return new InvalidRequestError("The request is invalid. See details for the fields concerned.", {
    status: 400,
    code: "invalid_request",
    requestId: null,
    docUrl: null,
    details,
    required: [],
    retryAfterMs: null,
    attempts: 0,
    idempotencyKey: null,
  });
}

function checkFields(given: object, checks: Checks, details: ErrorDetail[]): void {
  for (const [field, value] of Object.entries(given)) {
    const check = Object.hasOwn(checks, field) ? checks[field] : undefined;
    const message = check ? check(value) : "unknown parameter";
    if (message !== null) details.push({ field, message });
  }
}

function checkQuery(query: unknown, details: ErrorDetail[]): void {
  if (isObject(query)) checkFields(query, queryChecks, details);
  else details.push({ field: "query", message: "must be an object" });
}

function checkBody(body: unknown, details: ErrorDetail[]): void {
  if (body === undefined) details.push({ field: "body", message: missingMessage });
  else if (!isObject(body)) details.push({ field: "body", message: "must be a JSON object" });
  else {
    for (const [field, check] of Object.entries(bodyChecks)) {
      const message = check(body[field]);
      if (message !== null) details.push({ field, message });
    }
    for (const field of Object.keys(body)) {
      if (!Object.hasOwn(bodyChecks, field)) details.push({ field, message: "unknown field" });
    }
  }
}

/** Checks what a call, or a client, was told beside its arguments. */
export function checkOptions(options: CreateOptions, details: ErrorDetail[]): void {
  for (const [field, { name, check }] of Object.entries(optionChecks)) {
    const value = (options as Readonly<Record<string, unknown>>)[field];
    const message = value === undefined ? null : check(value);
    if (message !== null) details.push({ field: name, message });
  }
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    const message = headerProblem(name, value);
    if (message !== null) details.push({ field: `headers.${name}`, message });
  }
}

/** Headers that belong to the client. */
const ownHeaders = new Set([
  "authorization",
  "accept",
  "content-type",
  "content-length",
  "transfer-encoding",
  "idempotency-key",
]);

function headerProblem(name: string, value: unknown): string | null {
  if (ownHeaders.has(name.toLowerCase())) return "is set by the client itself";
  if (typeof value !== "string") return notTextMessage;
  return isHeader(name, value) ? null : "must be a valid header";
}

function follows(rules: readonly TextRule[]): Check {
  return (value) => {
    if (value === undefined) return missingMessage;
    if (typeof value !== "string") return notTextMessage;
    for (const { holds, message } of rules) if (!holds(value)) return message;
    return null;
  };
}

function optional(check: Check): Check {
  return (value) => (value === undefined ? null : check(value));
}

const id = follows(textRules.id);

const paramChecks: Checks = { queueId: id, entryId: id, appointmentId: id };

const queryChecks: Checks = {
  status: optional(follows([])), // any word: the service may know more of them than this package does
  date: optional(follows(textRules.day)),
  limit: optional(pageSizeProblem),
  cursor: optional(follows(textRules.cursor)),
};

const bodyChecks: Checks = {
  name: follows(textRules.customerName),
  phone: follows(textRules.phone),
  serviceId: optional(id),
};

const optionChecks: Readonly<Record<string, { readonly name: string; readonly check: Check }>> = {
  idempotencyKey: { name: "Idempotency-Key", check: follows(textRules.idempotencyKey) },
  timeoutMs: { name: "timeoutMs", check: durationProblem },
  totalTimeoutMs: { name: "totalTimeoutMs", check: durationProblem },
  intervalMs: { name: "intervalMs", check: durationProblem },
  maxIntervalMs: { name: "maxIntervalMs", check: durationProblem },
  maxRetries: { name: "maxRetries", check: retriesProblem },
  signal: { name: "signal", check: signalProblem },
  headers: { name: "headers", check: (value) => (isObject(value) ? null : "must be an object") },
};

function pageSizeProblem(value: unknown): string | null {
  const written = typeof value === "number" && /^\d{1,9}$/.test(String(value));
  if (!written) return pageSizeMessages.notWhole; // as the service reads it: a minus sign is no digit
  if (value < limits.pageSize.min) return pageSizeMessages.tooSmall;
  return value > limits.pageSize.max ? pageSizeMessages.tooLarge : null;
}

function durationProblem(value: unknown): string | null {
  return typeof value === "number" && value > 0 ? null : "must be a number of milliseconds above 0";
}

function retriesProblem(value: unknown): string | null {
  return Number.isSafeInteger(value) && (value as number) >= 0
    ? null
    : "must be a whole number, 0 or more";
}

function signalProblem(value: unknown): string | null {
  return isObject(value) && typeof value.addEventListener === "function"
    ? null
    : "must be an AbortSignal";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
