import { limits, missingMessage, pageSizeMessages, textRules } from "@queue-api/contract";
import { checkOptions, idempotencyKeyField } from "./check-options.js";
import { InvalidRequestError } from "./errors.js";
import type { OptionNames } from "./option-names.js";
import { type Check, follows, isObject, type Problem, sentences } from "./problem.js";

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
  readonly name: string;
  readonly operation?: string;
  readonly method?: string;
  readonly path?: string;
  /** The key of a creation; null for other operations. */
  readonly idempotencyKey?: string | null;
}

/**
 * Refuses what the service would refuse, with the same details, but before anything is sent.
 *
 * @param known - The options that the method takes.
 * @throws {InvalidRequestError} Its message and `details` name each wrong argument, but never the value.
 */
export function checkArguments(
  given: Arguments,
  options: object | undefined,
  known: OptionNames,
  call: CallFacts,
): void {
  const problems: Problem[] = [];
  if (given.params) checkFields(given.params, paramChecks, problems);
  if (options !== undefined) checkOptions(options, known, problems);
  if (given.query !== undefined) checkQuery(given.query, problems);
  if ("body" in given) checkBody(given.body, problems);
  if (call.method === "GET" && options) refuseBody(options, problems);
  if (problems.length > 0) throw invalidArguments(problems, call);
}

/** Refuses a body for a request that cannot have one. */
export function refuseBody(options: object, problems: Problem[]): void {
  for (const name of ["body", "extraBody"]) {
    if ((options as Readonly<Record<string, unknown>>)[name] === undefined) continue;
    problems.push(argumentProblem(name, "must be absent: a GET has no body"));
  }
}

/** The error that the service would answer with. Its message is complete without an answer. */
export function invalidArguments(
  problems: readonly Problem[],
  { name, idempotencyKey = null, ...call }: CallFacts,
): InvalidRequestError {
  const keyRefused = problems.some(({ field }) => field === idempotencyKeyField);
  return new InvalidRequestError(`${name}: ${sentences(problems)}`, {
    ...call,
    status: 400,
    code: "invalid_request",
    requestId: null,
    docUrl: null,
    details: problems.map(({ field, message }) => ({ field, message })),
    required: [],
    retryAfterMs: null,
    attempts: 0,
    idempotencyKey: keyRefused ? null : idempotencyKey,
  });
}

function checkFields(given: object, checks: Checks, problems: Problem[]): void {
  for (const [field, value] of Object.entries(given)) {
    const check = Object.hasOwn(checks, field) ? checks[field] : undefined;
    const message = check ? check(value) : "unknown parameter";
    if (message !== null) problems.push(argumentProblem(field, message));
  }
}

function checkQuery(query: unknown, problems: Problem[]): void {
  if (isObject(query)) checkFields(query, queryChecks, problems);
  else problems.push(argumentProblem("query", "must be an object"));
}

function checkBody(body: unknown, problems: Problem[]): void {
  if (body === undefined) problems.push(argumentProblem("body", missingMessage));
  else if (!isObject(body)) problems.push(argumentProblem("body", "must be a JSON object"));
  else {
    for (const [field, check] of Object.entries(bodyChecks)) {
      const message = check(body[field]);
      if (message !== null) problems.push(argumentProblem(field, message));
    }
    for (const field of Object.keys(body)) {
      if (!Object.hasOwn(bodyChecks, field)) {
        problems.push(argumentProblem(field, "unknown field"));
      }
    }
  }
}

export function argumentProblem(field: string, message: string): Problem {
  return { subject: field, field, message };
}

function optional(check: Check): Check {
  return (value) => (value === undefined ? null : check(value));
}

const id = follows(textRules.id);

const paramChecks: Checks = { queueId: id, entryId: id, appointmentId: id };

const queryChecks: Checks = {
  status: optional(follows([])), // any word: the service may have statuses that this package does not know
  date: optional(follows(textRules.day)),
  limit: optional(pageSizeProblem),
  cursor: optional(follows(textRules.cursor)),
};

const bodyChecks: Checks = {
  name: follows(textRules.customerName),
  phone: follows(textRules.phone),
  serviceId: optional(id),
};

function pageSizeProblem(value: unknown): string | null {
  const written = typeof value === "number" && /^\d{1,9}$/.test(String(value));
  if (!written) return pageSizeMessages.notWhole; // like the service, which accepts digits only
  if (value < limits.pageSize.min) return pageSizeMessages.tooSmall;
  return value > limits.pageSize.max ? pageSizeMessages.tooLarge : null;
}
