import {
  argumentProblem,
  checkOptions,
  idempotencyKeyProblems,
  refuseInvalid,
} from "./arguments.js";
import { requestOptionNames } from "./check-options.js";
import type { HttpMethod, Operation } from "./operation.js";
import type { RequestOptions } from "./options.js";
import type { Redactor } from "./transport/redact.js";

/** A request to any endpoint. The shape of its answer is unknown. */
export const anyOperation = {
  name: "request",
  answer: null,
} as const satisfies Partial<Operation>;

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
  const call = { title: "request", operation: anyOperation.name };
  checkOptions(options, requestOptionNames, call);
  const problems = idempotencyKeyProblems(options);
  const add = (field: string, message: string | null) => {
    if (message !== null) problems.push(argumentProblem(field, message));
  };
  if (!methods.some((one) => one === method)) {
    add("method", `must be one of ${methods.join(", ")}`);
  }
  add("path", pathProblem(path, redactor));
  if (method === "GET" && options.body !== undefined) {
    add("body", "must be absent: a GET has no body");
  }
  refuseInvalid(problems, call);
}

function pathProblem(path: unknown, redactor: Redactor): string | null {
  if (typeof path !== "string" || !path.startsWith("/")) return "must be a text that begins with /";
  if (redactor.text(path) !== path) return "must not hold the API key";
  if (/[?#\\\s]/.test(path)) return "must be a path alone: its query is given as query";
  const leadsUp = /(^|\/)(\.|%2e){1,2}(\/|$)/i.test(path);
  return leadsUp ? "must not hold . or .. as a part" : null;
}
