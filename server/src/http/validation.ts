import type { ErrorDetail } from "@queue-api/contract";
import type { RequestValidationError } from "@ts-rest/express";
import type { Request } from "express";
import { Refusal } from "../rules/refusal.js";
import { shownName } from "./shown-name.js";
import { timesSent } from "./well-formed.js";

interface Issue {
  readonly code?: string | undefined;
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
  readonly keys?: readonly string[] | undefined;
}
interface Issues {
  readonly issues: readonly Issue[];
}

const unknownParameter = "unknown parameter";

const headerNames: Readonly<Record<string, string>> = { "idempotency-key": "Idempotency-Key" };

/** One refusal that names every wrong parameter, header and field of a request at once. */
export function invalidRequest(error: RequestValidationError, req: Request): Refusal {
  const query = error.query ? details(error.query, "query", unknownParameter) : [];
  const isRepeated = (field: string, message: string) =>
    message !== unknownParameter && Array.isArray(req.query[field]);
  return new Refusal("invalid_request", {
    details: [
      ...details(error.pathParams, "path", unknownParameter),
      ...details(error.headers, "headers", "unknown header").map(({ field, message }) => ({
        field: headerNames[field] ?? field,
        message: timesSent(req.rawHeaders, field) > 1 ? "must appear once" : message,
      })),
      ...query.map(({ field, message }) => ({
        field,
        message: isRepeated(field, message) ? "must appear once" : message,
      })),
      ...details(error.body, "body", "unknown field").map((detail) =>
        detail.field === "body" && req.body === undefined
          ? { field: "body", message: "is required" }
          : detail,
      ),
    ],
  });
}

function details(error: Issues | null, whole: string, unknown: string): ErrorDetail[] {
  return (error?.issues ?? []).flatMap((issue) => {
    if (issue.code === "unrecognized_keys") {
      return (issue.keys ?? []).map((key) => ({ field: shownName(key), message: unknown }));
    }
    const field = String(issue.path?.[0] ?? whole);
    return [{ field, message: field === whole ? "must be a JSON object" : issue.message }];
  });
}
