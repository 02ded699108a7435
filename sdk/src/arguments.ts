import { limits, missingMessage, pageSizeMessages, textRules } from "@queue-api/contract";
import {
  type Check,
  createOptionNames,
  follows,
  isObject,
  type OptionNames,
  optionProblems,
  type Problem,
  requestOptionNames,
  sentences,
} from "./check-options.js";
import { InvalidOptionError, InvalidRequestError } from "./errors.js";
import type { HttpMethod } from "./operation.js";
import type { RequestOptions } from "./options.js";
import type { Redactor } from "./redact.js";

/** The arguments of a method. */
export interface Arguments {
  readonly params?: object | undefined;
  readonly query?: object | undefined;
  /** Absent for an operation without a body. */
  readonly body?: unknown;
}

type Checks = Readonly<Record<string, Check>>;

/** The call that the arguments belong to. */
export interface CallFacts {
  /** The name in messages. */
  readonly title: string;
  readonly operation: string;
  readonly method?: string;
  readonly path?: string;
  /** The key of a creation; null for other operations. */
  readonly idempotencyKey: string | null;
}

/**
 * Refuses wrong options, and then what the service would refuse, with the same details, but before anything is
 * sent.
 *
 * @param known - The options that the method takes.
 * @throws {InvalidOptionError} The message names each wrong option.
 * @throws {InvalidRequestError} The message and `details` name each wrong argument, but never the value.
 */
export function checkArguments(
  given: Arguments,
  options: object | undefined,
  known: OptionNames,
  call: CallFacts,
): void {
  checkOptions(options, known, call);
  const problems = [
    ...Object.entries(given.params ?? {}).flatMap(([name, value]) => problemsOf(name, isId(value))),
    ...(given.query === undefined ? [] : queryProblems(given)),
    ...("body" in given ? bodyProblems(given.body) : []),
  ];
  refuseInvalid(problems, call);
}

/** @throws {InvalidOptionError} An option is unknown or wrong. */
export function checkOptions(
  options: object | undefined,
  known: OptionNames,
  { title, idempotencyKey: _, ...call }: CallFacts,
): void {
  const problems = options === undefined ? [] : optionProblems(options, known);
  if (problems.length === 0) return;
  throw new InvalidOptionError(`${title}: ${sentences(problems)}`, call);
}

/**
 * Throws the error that the service would answer with. Its message is complete without an answer.
 *
 * @throws {InvalidRequestError} There are problems.
 */
function refuseInvalid(problems: readonly Problem[], { title, ...call }: CallFacts): void {
  if (problems.length === 0) return;
  throw new InvalidRequestError(`${title}: ${sentences(problems)}`, {
    ...call,
    code: "invalid_request",
    details: problems.map(({ field, message }) => ({ field, message })),
  });
}

function queryProblems({ params, query }: Arguments): Problem[] {
  if (!isObject(query)) return problemsOf("query", "must be an object");
  return fieldProblems(query, queryChecks, "unknown parameter", params ? "third" : "second");
}

function bodyProblems(body: unknown): Problem[] {
  if (body === undefined) return problemsOf("body", missingMessage);
  if (!isObject(body)) return problemsOf("body", "must be a JSON object");
  return fieldProblems(body, bodyChecks, "unknown field", "third");
}

/** Checks the known fields, and refuses others. `place`: where options stand, if one was given as a field. */
function fieldProblems(
  given: Readonly<Record<string, unknown>>,
  checks: Checks,
  unknown: string,
  place: string,
): Problem[] {
  const others = Object.keys(given).filter((field) => !Object.hasOwn(checks, field));
  return [
    ...Object.entries(checks).flatMap(([field, check]) => problemsOf(field, check(given[field]))),
    ...others.map((field) => ({
      ...{ subject: field, field, message: unknown },
      ...(createOptionNames.has(field) && { hint: `Options are the ${place} argument.` }),
    })),
  ];
}

/** The problem of an argument, if there is a message. */
function problemsOf(field: string, message: string | null): Problem[] {
  return message === null ? [] : [{ subject: field, field, message }];
}

function optional(check: Check): Check {
  return (value) => (value === undefined ? null : check(value));
}

const isId = follows(textRules.id);

const queryChecks: Checks = {
  status: optional(follows([])), // any word: the service may have statuses that this package does not know
  date: optional(follows(textRules.day)),
  limit: optional(pageSizeProblem),
  cursor: optional(follows(textRules.cursor)),
};

const bodyChecks: Checks = {
  name: follows(textRules.customerName),
  phone: follows(textRules.phone),
  serviceId: optional(isId),
};

function pageSizeProblem(value: unknown): string | null {
  const written = typeof value === "number" && /^\d{1,9}$/.test(String(value));
  if (!written) return pageSizeMessages.notWhole; // like the service, which accepts digits only
  if (value < limits.pageSize.min) return pageSizeMessages.tooSmall;
  return value > limits.pageSize.max ? pageSizeMessages.tooLarge : null;
}

const methods: readonly HttpMethod[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/**
 * Checks a request to any endpoint.
 *
 * @throws {InvalidOptionError} An option is wrong.
 * @throws {InvalidRequestError} The method or the path is wrong, or a GET has a body.
 */
export function checkRequest(
  method: unknown,
  path: unknown,
  options: RequestOptions,
  redactor: Redactor,
): void {
  const call = { title: "request", operation: "request", idempotencyKey: null };
  checkOptions(options, requestOptionNames, call);
  const isMethod = methods.some((one) => one === method);
  const hasStrayBody = method === "GET" && options.body !== undefined;
  const problems = [
    ...problemsOf("method", isMethod ? null : `must be one of ${methods.join(", ")}`),
    ...problemsOf("path", pathProblem(path, redactor)),
    ...problemsOf("body", hasStrayBody ? "must be absent: a GET has no body" : null),
  ];
  refuseInvalid(problems, call);
}

function pathProblem(path: unknown, redactor: Redactor): string | null {
  if (typeof path !== "string" || !path.startsWith("/")) return "must be a text that begins with /";
  if (redactor.text(path) !== path) return "must not hold the API key";
  if (/[?#\\\s]/.test(path)) return "must be a path alone: its query is given as query";
  const leadsUp = /(^|\/)(\.|%2e){1,2}(\/|$)/i.test(path);
  return leadsUp ? "must not hold . or .. as a part" : null;
}
