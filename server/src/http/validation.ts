import type { ErrorDetail } from "@queue-api/contract";
import {
  type AppRoute,
  isAppRouteOtherResponse,
  validateIfSchema,
  validateMultiSchemaObject,
} from "@ts-rest/core";
import type { Request } from "express";
import { z } from "zod";
import { contextOf, type EndpointInput } from "../endpoints/request-context.js";
import { fieldsOf } from "../endpoints/serialized-body.js";
import { Refusal } from "../rules/refusal.js";
import { shownName } from "./leaked-keys.js";
import { timesSent } from "./request-headers.js";
import type { Step } from "./steps.js";

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

/** Validates parameters, headers and body against the contract, and stores the input of the endpoint. */
export function validate(route: AppRoute): Step {
  const bodySchema = "body" in route ? route.body : null;
  return (req, res) => {
    const params = validateIfSchema(req.params, route.pathParams, { passThroughExtraKeys: true });
    const headers = validateMultiSchemaObject(req.headers, route.headers);
    const query = validateIfSchema(req.query, route.query);
    const body = validateIfSchema(req.body, bodySchema);
    if (params.error || headers.error || query.error || body.error) {
      const wrong = { pathParams: params.error, headers: headers.error };
      throw invalidRequest({ ...wrong, query: query.error, body: body.error }, req);
    }
    contextOf(res).input = {
      params: params.value as EndpointInput["params"],
      headers: headers.value as EndpointInput["headers"],
      query: query.value,
      body: body.value,
    };
  };
}

/** The faults of each part of a request; null for a valid part. */
type Faults = Readonly<
  Record<"pathParams" | "headers" | "query" | "body", Issues | null | undefined>
>;

/** One refusal that names every wrong parameter, header and field of a request at once. */
function invalidRequest(error: Faults, req: Request): Refusal {
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

function details(error: Issues | null | undefined, whole: string, unknown: string): ErrorDetail[] {
  return (error?.issues ?? []).flatMap((issue) => {
    if (issue.code === "unrecognized_keys") {
      return (issue.keys ?? []).map((key) => ({ field: shownName(key), message: unknown }));
    }
    const field = String(issue.path?.[0] ?? whole);
    return [{ field, message: field === whole ? "must be a JSON object" : issue.message }];
  });
}

/** Throws if a response differs from the contract: an undeclared status, or another shape. */
export function checkAnswer(route: AppRoute, status: number, body: unknown): void {
  const declared = route.responses[status];
  const name = `${route.method} ${route.path}`;
  if (declared === undefined || isAppRouteOtherResponse(declared)) {
    throw new Error(`${name} must not answer ${status}`);
  }
  if (!(declared instanceof z.ZodType)) throw new Error(`${name} ${status} has no schema`);
  const checked = declared.safeParse(fieldsOf(body));
  if (!checked.success) {
    const where = checked.error.issues.map((issue) => issue.path.join(".")).join(", ");
    throw new Error(`${name} answered ${status} outside its schema: ${where}`);
  }
}
