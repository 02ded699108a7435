import { type ErrorDetail, headerSpelling } from "@queue-api/contract";
import type { RequestValidationError } from "@ts-rest/express";
import type { NextFunction, Response } from "express";
import { ApiError } from "../rules/api-error.js";
import { safeName } from "./leaked-keys.js";
import { timesSent } from "./request-headers.js";

interface Issue {
  readonly code?: string | undefined;
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
  readonly keys?: readonly string[] | undefined;
}

const unknownParameter = "unknown parameter";

/** Makes one error of all that ts-rest found wrong: it names every parameter, header and field at once. */
export function refuseInvalid(
  error: RequestValidationError,
  req: { readonly query: object; readonly rawHeaders: readonly string[]; readonly body?: unknown },
  _res: Response,
  next: NextFunction,
): void {
  const sent = req.query as Readonly<Record<string, unknown>>;
  const isRepeated = (field: string, message: string) =>
    message !== unknownParameter && Array.isArray(sent[field]);
  const details = [
    ...detailsOf(error.pathParams, "path", unknownParameter),
    ...detailsOf(error.headers, "headers", "unknown header").map(({ field, message }) => ({
      field: headerSpelling[field] ?? field,
      message: timesSent(req.rawHeaders, field) > 1 ? "must appear once" : message,
    })),
    ...detailsOf(error.query, "query", unknownParameter).map(({ field, message }) => ({
      field,
      message: isRepeated(field, message) ? "must appear once" : message,
    })),
    ...detailsOf(error.body, "body", "unknown field").map((detail) =>
      detail.field === "body" && req.body === undefined
        ? { field: "body", message: "is required" }
        : detail,
    ),
  ];
  next(new ApiError("invalid_request", { details }));
}

function detailsOf(
  error: { readonly issues: readonly Issue[] } | null,
  whole: string,
  unknown: string,
): ErrorDetail[] {
  return (error?.issues ?? []).flatMap((issue) => {
    if (issue.code === "unrecognized_keys") {
      return (issue.keys ?? []).map((key) => ({ field: safeName(key), message: unknown }));
    }
    const field = String(issue.path?.[0] ?? whole);
    return [{ field, message: field === whole ? "must be a JSON object" : issue.message }];
  });
}
