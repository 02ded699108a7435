import { notTextMessage } from "@queue-api/contract";
import { isHeader } from "./headers.js";
import { keyHint, keyProblem } from "./idempotency-key.js";
import { logLevels } from "./logger.js";
import { type OptionNames, unknownOption } from "./option-names.js";
import { type Check, isObject, type Problem } from "./problem.js";

/**
 * Checks the options of a call, a client or a handler. Unknown options are refused: otherwise, a misspelled
 * option would have no effect, and no error would show it.
 */
export function checkOptions(options: unknown, known: OptionNames, problems: Problem[]): void {
  if (!isObject(options)) {
    problems.push({ subject: "The options", field: "options", message: "must be an object" });
    return;
  }
  for (const name of known) {
    const value = options[name];
    const message = value === undefined ? null : (optionChecks[name]?.(value) ?? null);
    const field = name === "idempotencyKey" ? idempotencyKeyField : name;
    if (message === null) continue;
    const problem = optionProblem(name, message, field);
    problems.push(
      typeof value === "string" && field !== name ? { ...problem, hint: keyHint } : problem,
    );
  }
  for (const name of Object.keys(options)) {
    if (known.has(name) || options[name] === undefined) continue;
    problems.push(optionProblem(name, unknownOption(name, known)));
  }
  if (isObject(options.headers)) checkHeaders(options.headers, problems);
}

/** The name of the idempotency key in the service's error details. */
export const idempotencyKeyField = "Idempotency-Key";

/** Makes the problem of an option. */
export function optionProblem(name: string, message: string, field = name): Problem {
  return { subject: `The option ${name}`, field, message };
}

function checkHeaders(headers: Record<string, unknown>, problems: Problem[]): void {
  for (const [name, value] of Object.entries(headers)) {
    const message = headerProblem(name, value);
    if (message !== null) problems.push(optionProblem(`headers.${name}`, message));
  }
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

/** The checks of options by name. An option without one is checked where it is used. */
const optionChecks: Readonly<Record<string, Check>> = {
  idempotencyKey: keyProblem,
  timeoutMs: durationProblem,
  totalTimeoutMs: durationProblem,
  intervalMs: durationProblem,
  maxIntervalMs: durationProblem,
  maxRetries: countProblem,
  max: (value) => (value === Number.POSITIVE_INFINITY ? null : countProblem(value)),
  signal: signalProblem,
  headers: objectProblem,
  extraQuery: queryProblem,
  extraBody: objectProblem,
  query: queryProblem,
  logLevel: levelProblem,
  appInfo: appProblem,
  onPollError: (value) => (typeof value === "function" ? null : "must be a function"),
  pacing: switchProblem,
  dangerouslyAllowBrowser: switchProblem,
  once: switchProblem,
  replay: switchProblem,
  details: listProblem,
  required: listProblem,
  nextCursor: (value) =>
    value === null || typeof value === "string" ? null : "must be a string or null",
  retryAfterSeconds: countProblem,
};

function listProblem(value: unknown): string | null {
  return Array.isArray(value) ? null : "must be a list";
}

function objectProblem(value: unknown): string | null {
  return isObject(value) ? null : "must be an object";
}

function queryProblem(value: unknown): string | null {
  if (!isObject(value)) return "must be an object";
  const plain = Object.values(value).every((one) =>
    ["string", "number", "boolean", "undefined"].includes(typeof one),
  );
  return plain ? null : "must hold texts, numbers and booleans alone";
}

function levelProblem(value: unknown): string | null {
  return logLevels.some((level) => level === value)
    ? null
    : `must be one of ${logLevels.join(", ")}`;
}

function appProblem(value: unknown): string | null {
  if (!isObject(value)) return "must be an object with a name";
  const { name, version = "1" } = value;
  const named = [name, version].every((one) => typeof one === "string" && /^[\w.-]+$/.test(one));
  return named ? null : "must have a name and a version of letters, digits, -, . and _";
}

function durationProblem(value: unknown): string | null {
  return typeof value === "number" && value > 0 ? null : "must be a number of milliseconds above 0";
}

function countProblem(value: unknown): string | null {
  return Number.isSafeInteger(value) && (value as number) >= 0
    ? null
    : "must be a whole number, 0 or more";
}

function switchProblem(value: unknown): string | null {
  return typeof value === "boolean" ? null : "must be true or false";
}

function signalProblem(value: unknown): string | null {
  return isObject(value) && typeof value.addEventListener === "function"
    ? null
    : "must be an AbortSignal";
}
