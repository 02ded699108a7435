import { missingMessage, notTextMessage, textRules } from "@queue-api/contract";
import type { ErrorDetail } from "./generated/types.js";
import type { Hooks } from "./hooks.js";
import { logLevels } from "./log.js";
import type { CallOptions, CreateOptions, QueueApiOptions, RequestOptions } from "./options.js";

/** A problem of an argument or option: the service's error detail, and the subject for a sentence. */
export interface Problem extends ErrorDetail {
  readonly subject: string;
  /** How to fix it, for people. */
  readonly hint?: string;
}

/** Returns the problem of a value; null if the value is valid. Never includes the value. */
export type Check = (value: unknown) => string | null;

/** A sentence for each problem. */
export function sentences(problems: readonly Problem[]): string {
  return problems
    .map(({ subject, message, hint }) => {
      const sentence = `${subject} ${message.replace(/^unknown/, "is an unknown")}.`;
      return hint === undefined ? sentence : `${sentence} ${hint}`;
    })
    .join(" ");
}

/** A text condition of the contract. Declared here, since users of this package lack the contract package. */
interface TextRule {
  readonly holds: (text: string) => boolean;
  readonly message: string;
}

/** A text check by the rules of the service. */
export function follows(rules: readonly TextRule[]): Check {
  return (value) => {
    if (value === undefined) return missingMessage;
    if (typeof value !== "string") return notTextMessage;
    return rules.find(({ holds }) => !holds(value))?.message ?? null;
  };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether the header is valid: its name is a token, and its value has no control characters. */
export function isHeader(name: string, value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

/** The names of the accepted options. */
export type OptionNames = ReadonlySet<string>;

/** The option names of a type, after those of `base`. The compiler checks that none is missing. */
export function optionNames<Options>(
  names: Readonly<Record<keyof Options, true>>,
  base: Iterable<string> = [],
): OptionNames {
  return new Set([...base, ...Object.keys(names)]);
}

/** The options of every method. */
export const callOptionNames = optionNames<CallOptions>({
  signal: true,
  timeoutMs: true,
  totalTimeoutMs: true,
  maxRetries: true,
  headers: true,
});

/** The options of a creation. */
export const createOptionNames = optionNames<Omit<CreateOptions, keyof CallOptions>>(
  { idempotencyKey: true },
  callOptionNames,
);

/** The options of a request to any endpoint. */
export const requestOptionNames = optionNames<Omit<RequestOptions, keyof CallOptions>>(
  { query: true, body: true, idempotencyKey: true },
  callOptionNames,
);

/** The options of a client. */
export const clientOptionNames = optionNames<QueueApiOptions>({
  apiKey: true,
  baseUrl: true,
  timeoutMs: true,
  totalTimeoutMs: true,
  maxRetries: true,
  headers: true,
  pacing: true,
  fetch: true,
  fetchOptions: true,
  hooks: true,
  logger: true,
  logLevel: true,
  appInfo: true,
});

const hookNames = optionNames<Hooks>({ onRequest: true, onResponse: true, onWait: true });

/**
 * The problems of options. Unknown options are refused: otherwise, a misspelled option would have no effect,
 * and no error would show it.
 */
export function optionProblems(options: unknown, known: OptionNames): Problem[] {
  if (!isObject(options)) {
    return [{ subject: "The options", field: "options", message: "must be an object" }];
  }
  const problems: Problem[] = [];
  const add = (name: string, message: string | null | undefined) => {
    if (message) problems.push({ subject: `The option ${name}`, field: name, message });
  };
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (known.has(name)) add(name, optionChecks[name]?.(value));
    else add(name, unknownOption(name, known));
  }
  if (isObject(options.headers)) {
    for (const [name, value] of Object.entries(options.headers)) {
      add(`headers.${name}`, headerProblem(name, value));
    }
  }
  for (const hooks of [options.hooks].flat().filter(isObject)) {
    for (const [name, value] of Object.entries(hooks)) {
      if (/^on/i.test(name) && value !== undefined && !hookNames.has(name)) {
        add(`hooks.${name}`, unknownOption(name, hookNames));
      }
    }
  }
  return problems;
}

/** The message for an unknown option: suggests the similar one, or lists the known ones. */
function unknownOption(name: string, known: OptionNames): string {
  const meant = [...known].find((one) => withoutStyle(one) === withoutStyle(name));
  return meant
    ? `is unknown (did you mean ${meant}?)`
    : `is unknown (known: ${[...known].join(", ")})`;
}

/** A normalized name: equal for camelCase, snake_case and kebab-case. */
function withoutStyle(name: string): string {
  return name.replaceAll(/[^a-z0-9]/gi, "").toLowerCase();
}

/** Headers that only the client sets. */
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

/** Properties of a `fetch` request that only the client sets. */
const ownInit = ["method", "headers", "body", "signal", "redirect"];

const duration = must(
  "be a number of milliseconds above 0",
  (it) => typeof it === "number" && it > 0,
);
const object = must("be an object", isObject);
const truth = must("be true or false", (value) => typeof value === "boolean");
const callback = must("be a function", isFunction);
const whole = must(
  "be a whole number, 0 or more",
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
);

const isKey = follows(textRules.idempotencyKey);

/** Checks an idempotency key, or the text that it is made from. */
function idempotencyKey(given: unknown): string | null {
  if (!isObject(given)) {
    const problem = isKey(given);
    const isOtherText = problem !== null && typeof given === "string";
    return isOtherText ? `${problem}; for any other text, give { from: text }` : problem;
  }
  const { from, ...others } = given;
  if (Object.keys(others).length > 0) return "must be a text, or { from: text } and nothing else";
  const isText = typeof from === "string" && from !== "" && from.isWellFormed();
  return isText ? null : "must be made from a text that is not empty";
}

/** The checks of options by name. An option without one may be anything, or is checked where it is used. */
const optionChecks: Readonly<Record<string, Check>> = {
  apiKey: must(
    "be a text that is not empty, or a function",
    (it) => isFunction(it) || (typeof it === "string" && it !== ""),
  ),
  baseUrl: must("be a text that is not empty", (it) => typeof it === "string" && it !== ""),
  timeoutMs: duration,
  totalTimeoutMs: duration,
  intervalMs: duration,
  maxIntervalMs: duration,
  maxRetries: whole,
  max: (value) => (value === Number.POSITIVE_INFINITY ? null : whole(value)),
  signal: must("be an AbortSignal", (it) => isObject(it) && isFunction(it.addEventListener)),
  headers: object,
  idempotencyKey,
  query: (value) => object(value) ?? plainValues(value),
  onPollError: callback,
  pacing: truth,
  fetch: callback,
  fetchOptions: (value) => object(value) ?? withoutOwnInit(value),
  logLevel: must(`be one of ${logLevels.join(", ")}`, (it) => logLevels.some((one) => one === it)),
  logger: must(
    "have the functions debug and warn",
    (it) => isObject(it) && isFunction(it.debug) && isFunction(it.warn),
  ),
  hooks: must("hold functions", (value) => [value].flat().every(holdsHooks)),
  appInfo: must("have a name and a version of letters, digits, -, . and _", isAppInfo),
};

function must(rule: string, holds: (value: unknown) => boolean): Check {
  return (value) => (holds(value) ? null : `must ${rule}`);
}

const plainValues = must("hold texts, numbers and booleans alone", (query) =>
  Object.values(query as object).every((one) =>
    ["string", "number", "boolean", "undefined"].includes(typeof one),
  ),
);

const withoutOwnInit = must(
  `hold none of ${ownInit.join(", ")}, which the client sets itself`,
  (init) => !ownInit.some((name) => name in (init as object)),
);

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

/** An observer may have other properties than hooks. */
function holdsHooks(given: unknown): boolean {
  return isObject(given) && [...hookNames].every((name) => !given[name] || isFunction(given[name]));
}

function isAppInfo(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { name, version = "1" } = value;
  return [name, version].every((one) => typeof one === "string" && /^[\w.-]+$/.test(one));
}
