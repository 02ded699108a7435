import {
  limits,
  missingMessage,
  notTextMessage,
  pageSizeMessages,
  textRules,
} from "@queue-api/contract";
import { type ErrorInfo, InvalidOptionError, InvalidRequestError } from "./errors.js";
import type { CreateEntryRequest, EntriesQuery, ErrorDetail } from "./generated/types.js";
import type { Hooks } from "./hooks.js";
import { logLevels } from "./log.js";
import type { HttpMethod } from "./operation.js";
import type {
  CallOptions,
  CreateOptions,
  QueueApiOptions,
  RequestOptions,
  WatchOptions,
} from "./options.js";
import type { Redactor } from "./redact.js";

/** The arguments of a call. Only TypeScript has checked them. */
export interface Arguments {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: object | undefined;
  /** Absent for an operation without a body. */
  readonly body?: unknown;
}

export interface CallFacts {
  readonly title: string;
  readonly operation: string;
  readonly method?: string;
  readonly path?: string;
  /** Null if there is none, or if it is not known before the call is sent. */
  readonly idempotencyKey: string | null;
}

/** An issue of an argument or option: the service's error detail, and the subject for a sentence. */
export interface Issue extends ErrorDetail {
  readonly subject: string;
  /** How to fix it, for people. */
  readonly hint?: string;
}

/** Returns the issue of a value; null if the value is valid. Never includes the value. */
type Check = (value: unknown) => string | null;

/** The checks of fields or options, by name. Other names are refused. */
export type Checks<Name extends string = string> = Readonly<Record<Name, Check>>;

/**
 * Refuses wrong options, and then what the service would refuse, with the same details, but before anything is
 * sent. The errors name each wrong option or argument, but never the value.
 */
export function checkArguments(
  given: Arguments,
  options: object,
  known: Checks,
  call: CallFacts,
  parameters: Checks = queryChecks,
): void {
  checkOptions(options, known);
  const { params = {}, query, body } = given;
  const place = given.params ? "third" : "second";
  refuseInvalid(
    [
      ...Object.entries(params).flatMap(([name, value]) => issuesOf(name, isId(value))),
      ...(query === undefined ? [] : fieldIssues("query", query, parameters, place)),
      ...("body" in given ? fieldIssues("body", body, bodyChecks, "third") : []),
    ],
    call,
  );
}

/** The error of an option of the client, as that of a call; any other error as it is. */
export function ofCall(thrown: unknown, title: string, call: ErrorInfo): unknown {
  if (!(thrown instanceof InvalidOptionError) || thrown.operation !== null) return thrown;
  return new InvalidOptionError(`${title}: ${thrown.message}`, call);
}

/** @throws {InvalidOptionError} An option is unknown or wrong. */
export function checkOptions(options: unknown, known: Checks): void {
  const issues = optionIssues(options, known);
  if (issues.length > 0) throw new InvalidOptionError(sentences(issues));
}

const methods: readonly HttpMethod[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** The facts of a request to any endpoint, without what is wrong, which can be anything. */
export function factsOfRequest(
  method: unknown,
  path: unknown,
  key: unknown,
  redactor: Redactor,
): CallFacts {
  return {
    title: "request",
    operation: "request",
    idempotencyKey: validKey(key),
    ...(methods.some((one) => one === method) && { method: method as HttpMethod }),
    ...(pathIssue(path, redactor) === null && { path: path as string }),
  };
}

/** Refuses wrong options of a request to any endpoint, and then a wrong method or path, and the body of a GET. */
export function checkRequest(
  path: unknown,
  options: RequestOptions,
  redactor: Redactor,
  call: CallFacts,
): void {
  checkOptions(options, requestOptions);
  const hasStrayBody = call.method === "GET" && options.body !== undefined;
  const issues = [
    ...issuesOf("method", call.method ? null : `must be one of ${methods.join(", ")}`),
    ...issuesOf("path", pathIssue(path, redactor)),
    ...issuesOf("body", hasStrayBody ? "must be absent: a GET has no body" : null),
  ];
  refuseInvalid(issues, call);
}

function pathIssue(path: unknown, redactor: Redactor): string | null {
  if (typeof path !== "string" || !path.startsWith("/")) return "must be a text that begins with /";
  if (redactor.text(path) !== path) return "must not contain the API key";
  if (/[?#\\\s]/.test(path))
    return "must not contain ?, #, a backslash or a space; pass the query in the option query";
  const leadsUp = /(^|\/)(\.|%2e){1,2}(\/|$)/i.test(path);
  return leadsUp ? "must not hold . or .. as a part" : null;
}

/** Throws the error with which the service would respond. Its message is complete without a response. */
function refuseInvalid(issues: readonly Issue[], { title, ...call }: CallFacts): void {
  if (issues.length === 0) return;
  throw new InvalidRequestError(`${title}: ${sentences(issues)}`, {
    ...call,
    code: "invalid_request",
    details: issues.map(({ field, message }) => ({ field, message })),
  });
}

export function sentences(issues: readonly Issue[]): string {
  return issues
    .map(({ subject, message, hint }) => {
      const sentence = `${subject} ${message.replace(/^unknown/, "is an unknown")}.`;
      return hint === undefined ? sentence : `${sentence} ${hint}`;
    })
    .join(" ");
}

/** Checks a query or a body. `place`: where options stand, if one was given as a field. */
function fieldIssues(
  part: "query" | "body",
  given: unknown,
  checks: Checks,
  place: string,
): Issue[] {
  if (given === undefined) return issuesOf(part, missingMessage);
  const kind = part === "query" ? "an object" : "a JSON object";
  if (!isRecord(given)) return issuesOf(part, `must be ${kind}`);
  const sent = { ...given }; // without what an instance inherits
  const unknown = part === "query" ? "unknown parameter" : "unknown field";
  const others = Object.keys(sent).filter((field) => !Object.hasOwn(checks, field));
  return [
    ...Object.entries(checks).flatMap(([field, check]) => issuesOf(field, check(sent[field]))),
    ...others.map((field) => ({
      subject: field,
      field,
      message: unknown,
      ...(Object.hasOwn(createOptions, field) && { hint: `Options are the ${place} argument.` }),
    })),
  ];
}

function issuesOf(field: string, message: string | null, subject = field): Issue[] {
  return message === null ? [] : [{ subject, field, message }];
}

/**
 * The issues of options. Unknown options are refused: otherwise, a misspelled option would have no effect,
 * and no error would show it.
 */
function optionIssues(options: unknown, known: Checks): Issue[] {
  if (!isObject(options)) return issuesOf("options", "must be an object", "The options");
  const issue = (name: string, message: string | null) =>
    issuesOf(name, message, `The option ${name}`);
  const checked = (prefix: string, given: object, checks: Checks) =>
    Object.entries(given)
      .filter(([, value]) => value !== undefined)
      .flatMap(([name, value]) => {
        const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
        return issue(prefix + name, check ? check(value) : unknownOption(name, checks));
      });
  const headers = isObject(options.headers) ? Object.entries(options.headers) : [];
  const observers = [options.hooks].flat().filter(isObject);
  return [
    ...checked("", options, known),
    ...headers.flatMap(([name, value]) => issue(`headers.${name}`, headerIssue(name, value))),
    ...observers.flatMap((observer) => checked("hooks.", hooksOf(observer), hookChecks)),
  ];
}

/** The message for an unknown option: suggests the similar one, or lists the known ones. */
function unknownOption(name: string, checks: Checks): string {
  const known = Object.keys(checks);
  const meant = known.find((one) => withoutStyle(one) === withoutStyle(name));
  return meant ? `is unknown (did you mean ${meant}?)` : `is unknown (known: ${known.join(", ")})`;
}

function withoutStyle(name: string): string {
  return name.replaceAll(/[^a-z0-9]/gi, "").toLowerCase();
}

/** Headers that only the client sets. */
export const reservedHeaders = new Set([
  "authorization",
  "accept",
  "content-type",
  "content-length",
  "transfer-encoding",
  "idempotency-key",
  // those of the connection, which no fetch sends
  "connection",
  "keep-alive",
  "upgrade",
  "expect",
]);

function headerIssue(name: string, value: unknown): string | null {
  if (reservedHeaders.has(name.toLowerCase())) return "is set by the client itself";
  if (typeof value !== "string") return notTextMessage;
  return isHeader(name, value) ? null : "must be a valid header";
}

/** Whether the header is valid: its name is a token, and its value has no control characters. */
export function isHeader(name: string, value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

/** What looks like a hook: an observer may have other properties. */
function hooksOf(observer: object): object {
  return Object.fromEntries(Object.entries(observer).filter(([name]) => /^on/i.test(name)));
}

// The checks

/** A text check by the rules of the service. */
function follows(
  rules: readonly { readonly holds: (text: string) => boolean; readonly message: string }[],
): Check {
  return (value) => {
    if (value === undefined) return missingMessage;
    if (typeof value !== "string") return notTextMessage;
    return rules.find(({ holds }) => !holds(value))?.message ?? null;
  };
}

function must(rule: string, holds: (value: unknown) => boolean): Check {
  return (value) => (holds(value) ? null : `must ${rule}`);
}

function optional(check: Check): Check {
  return (value) => (value === undefined ? null : check(value));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether this is an object literal. Anything else as an option is a mistake, such as a `Headers` or an agent of undici. */
function isPlain(value: unknown): boolean {
  if (!isObject(value)) return false;
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null; // also in another realm
}

/**
 * Whether an object has its values as fields, as an object literal and an instance of a program's class do. Those of a
 * `Map`, a `URLSearchParams` or a promise would be lost.
 */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return isObject(value) && Object.prototype.toString.call(value) === "[object Object]";
}

function isJson(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

const isId = follows(textRules.id);

export const watchQuery: Checks<"status" | "date"> = {
  status: optional(follows([])), // any word: the service may have statuses that this package does not know
  date: optional(follows(textRules.day)),
};

const queryChecks: Checks<keyof EntriesQuery> = {
  ...watchQuery,
  limit: optional(pageSizeIssue),
  cursor: optional(follows(textRules.cursor)),
};

const bodyChecks: Checks<keyof CreateEntryRequest> = {
  name: follows(textRules.customerName),
  phone: follows(textRules.phone),
  serviceId: optional(isId),
};

function pageSizeIssue(value: unknown): string | null {
  const written = typeof value === "number" && /^\d{1,9}$/.test(String(value));
  if (!written) return pageSizeMessages.notWhole; // like the service, which accepts digits only
  if (value < limits.pageSize.min) return pageSizeMessages.tooSmall;
  return value > limits.pageSize.max ? pageSizeMessages.tooLarge : null;
}

const duration = must(
  "be a number of milliseconds above 0",
  (it) => typeof it === "number" && it > 0,
);
const object = must("be an object", isPlain);
const callback = must("be a function", isFunction);
const whole = must(
  "be a whole number, 0 or more",
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
);

const isKey = follows(textRules.idempotencyKey);

/** The valid ids, for a log: a wrong argument can be anything, such as the API key. */
export function validIds(params: Arguments["params"] = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(params).filter(([, id]) => isId(id) === null));
}

/** A key that is given; null for a wrong one, and for one that is still to be derived from a text. */
export function validKey(key: unknown): string | null {
  return isKey(key) === null ? (key as string) : null;
}

/** Checks an idempotency key, or the text that it is made from. */
function idempotencyKey(given: unknown): string | null {
  if (!isObject(given)) {
    const issue = isKey(given);
    const isOtherText = issue !== null && typeof given === "string";
    return isOtherText ? `${issue}; for any other text, give { from: text }` : issue;
  }
  const { from, ...others } = given;
  if (Object.keys(others).length > 0) return "must be a text, or { from: text } and nothing else";
  const isText = typeof from === "string" && from !== "" && from.isWellFormed();
  return isText ? null : "must be made from a text that is not empty";
}

const plainValues = must("contain only texts, numbers and booleans", (query) =>
  Object.values(query as object).every((one) =>
    ["string", "number", "boolean", "undefined"].includes(typeof one),
  ),
);

const ownInit = ["method", "headers", "body", "signal", "redirect"];

const withoutOwnInit = must(
  `hold none of ${ownInit.join(", ")}, which the client sets itself`,
  (init) => !ownInit.some((name) => name in (init as object)),
);

function isAppInfo(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { name, version = "1" } = value;
  return [name, version].every((one) => typeof one === "string" && /^[\w.-]+$/.test(one));
}

export const callOptions: Checks<keyof CallOptions> = {
  signal: must("be an AbortSignal", (it) => isObject(it) && isFunction(it.addEventListener)),
  timeoutMs: duration,
  totalTimeoutMs: duration,
  maxRetries: whole,
  headers: object,
};

export const createOptions: Checks<keyof CreateOptions> = { ...callOptions, idempotencyKey };

const requestOptions: Checks<keyof RequestOptions> = {
  ...callOptions,
  query: (value) => object(value) ?? plainValues(value),
  body: must("be a JSON value", isJson),
  idempotencyKey,
};

export const watchOptions: Checks<keyof (CallOptions & WatchOptions)> = {
  ...callOptions,
  intervalMs: duration,
  maxIntervalMs: duration,
  onPollError: callback,
};

export const allOptions: Checks<"max"> = {
  max: (value) => (value === Number.POSITIVE_INFINITY ? null : whole(value)),
};

const hookChecks: Checks<keyof Hooks> = {
  onRequest: callback,
  onResponse: callback,
  onWait: callback,
};

const { signal: _, ...limitsOfCalls } = callOptions;

export const clientOptions: Checks<keyof QueueApiOptions> = {
  apiKey: must(
    "be a text that is not empty, or a function",
    (it) => isFunction(it) || (typeof it === "string" && it !== ""),
  ),
  baseUrl: must("be a text that is not empty", (it) => typeof it === "string" && it !== ""),
  ...limitsOfCalls,
  pacing: must("be true or false", (value) => typeof value === "boolean"),
  fetch: callback,
  fetchOptions: (value) => object(value) ?? withoutOwnInit(value),
  hooks: must("be an object, or a list of them", (value) => [value].flat().every(isObject)),
  logger: must(
    "have the functions debug and warn",
    (it) => isObject(it) && isFunction(it.debug) && isFunction(it.warn),
  ),
  logLevel: must(`be one of ${logLevels.join(", ")}`, (it) => logLevels.some((one) => one === it)),
  appInfo: must("have a name and a version of letters, digits, -, . and _", isAppInfo),
};
