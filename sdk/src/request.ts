import { argumentProblem, invalidArguments, refuseBody } from "./arguments.js";
import { checkOptions } from "./check-options.js";
import type { HttpMethod, Operation } from "./operation.js";
import { requestOptionNames } from "./option-names.js";
import { isObject, type Problem } from "./problem.js";
import type { Redactor } from "./transport/redact.js";

/** A request to any endpoint. The shape of its answer is unknown. */
export const anyOperation = {
  id: "request",
  status: 200,
  answer: null,
  sendsIdempotencyKey: false,
} as const satisfies Partial<Operation>;

const methods: readonly HttpMethod[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/**
 * Checks a request to any endpoint.
 *
 * @throws {InvalidRequestError} The method, the path or an option is wrong.
 */
export function checkRequest(
  method: unknown,
  path: unknown,
  options: unknown,
  redactor: Redactor,
): void {
  const problems: Problem[] = [];
  if (!methods.some((one) => one === method)) {
    problems.push(argumentProblem("method", `must be one of ${methods.join(", ")}`));
  }
  const message = pathProblem(path, redactor);
  if (message !== null) problems.push(argumentProblem("path", message));
  checkOptions(options, requestOptionNames, problems);
  if (method === "GET" && isObject(options)) refuseBody(options, problems);
  if (problems.length > 0) {
    throw invalidArguments(problems, { name: "request", operation: "request" });
  }
}

function pathProblem(path: unknown, redactor: Redactor): string | null {
  if (typeof path !== "string" || !path.startsWith("/")) return "must be a text that begins with /";
  if (redactor.text(path) !== path) return "must not hold the API key";
  if (/[?#\\\s]/.test(path)) return "must be a path alone: its query is given as query";
  const leadsUp = /(^|\/)(\.|%2e){1,2}(\/|$)/i.test(path);
  return leadsUp ? "must not hold . or .. as a part" : null;
}
