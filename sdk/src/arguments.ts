import {
  limits,
  missingMessage,
  notTextMessage,
  pageSizeMessages,
  textRules,
} from "@queue-api/contract";
import { type ErrorInfo, InvalidOptionError, InvalidRequestError } from "./errors.js";
import { operations } from "./generated/operations.js";
import type {
  CreateEntryRequest,
  EntriesQuery,
  ErrorDetail,
  Operations,
} from "./generated/types.js";
import type { Hooks } from "./hooks.js";
import { logLevels } from "./observers.js";
import type { CallFacts, HttpMethod } from "./operation.js";
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

/** Returns the issue of a value; null if the value is valid. Never includes the value. */
type Check = (value: unknown) => string | null;

/** The checks of fields or options, by name. Other names are refused. */
export type Checks<Name extends string = string> = Readonly<Record<Name, Check>>;

/** The error of an option, as that of a call; any other error as it is. */
export function ofCall(thrown: unknown, title: string, call: ErrorInfo): unknown {
  if (!(thrown instanceof InvalidOptionError) || thrown.operation !== null) return thrown;
  return new InvalidOptionError(`${title}: ${thrown.message}`, call);
}

/**
 * Refuses what the service would refuse, with the same details, but before anything is sent. The error names each wrong
 * argument, but never the value. Its message is complete without a response.
 */
export function refuse(issues: readonly ErrorDetail[], title: string, call: CallFacts): void {
  if (issues.length === 0) return;
  const isOption = issues.some(({ field }) => Object.hasOwn(createOptions, field));
  const hint = isOption ? ` Options are the ${call.params ? "third" : "second"} argument.` : "";
  const message = `${title}: ${sentences(issues)}${hint}`;
  throw new InvalidRequestError(message, { ...call, code: "invalid_request", details: issues });
}

export function sentences(issues: readonly ErrorDetail[]): string {
  return issues
    .map(({ field, message }) => `${field} ${message.replace(/^unknown/, "is an unknown")}.`)
    .join(" ");
}

/** The issues of the arguments of a method. */
export function argumentIssues(input: Arguments, parameters: Checks = queryChecks): ErrorDetail[] {
  const { params = {}, query, body } = input;
  return [
    ...Object.entries(params).flatMap(([name, value]) => issueOf(name, isId(value))),
    ...(query === undefined ? [] : fieldIssues("query", query, parameters)),
    ...("body" in input ? fieldIssues("body", body, bodyChecks) : []),
  ];
}

const methods: readonly HttpMethod[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** The facts of a request to any endpoint, and its issues: its method or path is wrong, or it is a GET with a body. */
export function readRequest(
  method: HttpMethod,
  path: string,
  { body, idempotencyKey }: RequestOptions,
  redactor: Redactor,
): { readonly call: CallFacts; readonly issues: readonly ErrorDetail[] } {
  const isMethod = methods.includes(method);
  const wrongPath = pathIssue(path, redactor);
  const hasStrayBody = method === "GET" && body !== undefined;
  const call = {
    operation: "request",
    idempotencyKey: validKey(idempotencyKey),
    ...(isMethod && { method }),
    ...(wrongPath === null && { path }),
  } as const;
  const issues = [
    ...issueOf("method", isMethod ? null : `must be one of ${methods.join(", ")}`),
    ...issueOf("path", wrongPath),
    ...issueOf("body", hasStrayBody ? "must be absent: a GET has no body" : null),
  ];
  return { call, issues };
}

function pathIssue(path: unknown, redactor: Redactor): string | null {
  if (typeof path !== "string" || !path.startsWith("/")) return "must be a text that begins with /";
  if (redactor.text(path) !== path) return "must not contain the API key";
  if (/[?#\\\s]/.test(path))
    return "must not contain ?, #, a backslash or a space; pass the query in the option query";
  const leadsUp = /(^|\/)(\.|%2e){1,2}(\/|$)/i.test(path);
  return leadsUp ? "must not hold . or .. as a part" : null;
}

function fieldIssues(part: "query" | "body", fields: unknown, checks: Checks): ErrorDetail[] {
  if (fields === undefined) return issueOf(part, missingMessage);
  const isQuery = part === "query";
  if (!isRecord(fields)) return issueOf(part, `must be ${isQuery ? "an object" : "a JSON object"}`);
  const unknown = isQuery ? "unknown parameter" : "unknown field";
  return issuesOf(given(fields), checks, () => unknown);
}

/**
 * @throws {InvalidOptionError} An option is wrong. Unknown options are refused: otherwise, a misspelled option would have
 *   no effect, and no error would show it. The error names each wrong option, but never the value.
 */
export function checkOptions(options: unknown, known: Checks): void {
  const issues = optionIssues(options, known);
  if (issues.length > 0) throw new InvalidOptionError(sentences(issues));
}

function optionIssues(options: unknown, known: Checks): ErrorDetail[] {
  if (!isObject(options)) return issueOf("The options", "must be an object");
  const headers = isObject(options.headers) ? Object.entries(options.headers) : [];
  const observers = [options.hooks].flat().filter(isObject);
  return [
    ...issuesOf(given(options), known, unknownOption, "The option "),
    ...headers.flatMap(([name, value]) =>
      issueOf(`The option headers.${name}`, headerIssue(name, value)),
    ),
    ...observers.flatMap((observer) =>
      issuesOf(given(hooksOf(observer)), hookChecks, unknownOption, "The option hooks."),
    ),
  ];
}

/** The issues of named values. `unknown` makes the message for a name without a check. */
function issuesOf(
  values: Readonly<Record<string, unknown>>,
  checks: Checks,
  unknown: (name: string, checks: Checks) => string,
  prefix = "",
): ErrorDetail[] {
  const names = new Set([...Object.keys(checks), ...Object.keys(values)]);
  return [...names].flatMap((name) => {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    return issueOf(prefix + name, check ? check(values[name]) : unknown(name, checks));
  });
}

function issueOf(field: string, message: string | null): ErrorDetail[] {
  return message === null ? [] : [{ field, message }];
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
function hooksOf(observer: object): Record<string, unknown> {
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

/** A check of an option, which may be left out. */
function must(rule: string, holds: (value: unknown) => boolean): Check {
  return optional((value) => (holds(value) ? null : `must ${rule}`));
}

function optional(check: Check): Check {
  return (value) => (value === undefined ? null : check(value));
}

/** The values of an object's own fields that are given. An undefined one counts as left out. */
export function given<Values extends object>(values: Values): Given<Values> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Given<Values>;
}

type Given<Values> = { [Name in keyof Values]?: Exclude<Values[Name], undefined> };

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

/** The facts of a call of a method. */
export function factsOf(
  operation: keyof Operations,
  params: Arguments["params"],
  key: unknown,
): CallFacts {
  const { method, path } = operations[operation];
  const ids = params && Object.entries(params).filter(([, id]) => isId(id) === null);
  return {
    operation,
    method,
    path,
    idempotencyKey: validKey(key),
    ...(ids && { params: Object.fromEntries(ids) }),
  };
}

function validKey(key: unknown): string | null {
  return isKey(key) === null ? (key as string) : null;
}

/** Checks an idempotency key, or the text that it is made from. */
function idempotencyKey(key: unknown): string | null {
  if (!isObject(key)) {
    const issue = isKey(key);
    const isOtherText = issue !== null && typeof key === "string";
    return isOtherText ? `${issue}; for any other text, give { from: text }` : issue;
  }
  const { from, ...others } = key;
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
  return [name, version].every((one) => typeof one === "string" && /^[\w.+-]+$/.test(one));
}

export const callOptions: Checks<keyof CallOptions> = {
  signal: must("be an AbortSignal", (it) => isObject(it) && isFunction(it.addEventListener)),
  timeoutMs: duration,
  totalTimeoutMs: duration,
  maxRetries: whole,
  headers: object,
};

export const createOptions: Checks<keyof CreateOptions> = {
  ...callOptions,
  idempotencyKey: optional(idempotencyKey),
};

export const requestOptions: Checks<keyof RequestOptions> = {
  ...callOptions,
  query: (value) => object(value) ?? plainValues(value),
  body: must("be a JSON value", isJson),
  idempotencyKey: createOptions.idempotencyKey,
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
  appInfo: must("have a name and a version of letters, digits, -, ., _ and +", isAppInfo),
};
