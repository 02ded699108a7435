import { errorCodes, errors } from "@queue-api/contract";
import { expect, test } from "vitest";
import { answersOf, type Json, jsonContent, operations, resolved } from "./document.js";

/** An endpoint of section 4, written by hand. */
interface Listed {
  readonly scope: string | null | "public";
  /** Name, place, and whether it is required, in the order of the document. */
  readonly parameters: readonly string[];
  readonly body?: "required";
  readonly answers: Readonly<Record<number, string>>;
}

const withApiKey = {
  400: "invalid_request",
  401: "unauthorized",
  403: "api_access_disabled ip_not_allowed",
  408: "request_timeout",
  429: "rate_limited too_many_failed_attempts",
  500: "internal_error",
};
const scoped = { ...withApiKey, 403: "api_access_disabled insufficient_scope ip_not_allowed" };
const byId = { ...scoped, 404: "not_found" };
const posted = {
  ...byId,
  400: "invalid_json invalid_request",
  413: "payload_too_large",
  415: "unsupported_media_type",
};
const open = { 400: "invalid_request", 408: "request_timeout", 500: "internal_error" };
const paged = ["limit query", "cursor query"];

const section4: Readonly<Record<string, Listed>> = {
  "GET /v1/me": { scope: null, parameters: [], answers: { 200: "Me", ...withApiKey } },
  "GET /v1/services": {
    scope: "queue:read",
    parameters: [],
    answers: { 200: "Service[]", ...scoped },
  },
  "GET /v1/queues": { scope: "queue:read", parameters: [], answers: { 200: "Queue[]", ...scoped } },
  "GET /v1/queues/{queueId}": {
    scope: "queue:read",
    parameters: ["queueId path required", "date query"],
    answers: { 200: "QueueSummary", ...byId },
  },
  "GET /v1/queues/{queueId}/entries": {
    scope: "queue:read",
    parameters: ["queueId path required", "status query", "date query", ...paged],
    answers: { 200: "Entry[] nextCursor", ...byId },
  },
  "POST /v1/queues/{queueId}/entries": {
    scope: "queue:write",
    parameters: ["queueId path required", "Idempotency-Key header"],
    body: "required",
    answers: {
      201: "EntryWithPosition",
      ...posted,
      403: "api_access_disabled insufficient_scope ip_not_allowed plan_limit_reached",
      409: "queue_paused queue_unavailable request_in_progress",
      422: "idempotency_key_reuse",
    },
  },
  "GET /v1/entries/{entryId}": {
    scope: "queue:read",
    parameters: ["entryId path required"],
    answers: { 200: "EntryWithPosition", ...byId },
  },
  "POST /v1/entries/{entryId}/cancel": {
    scope: "queue:write",
    parameters: ["entryId path required"],
    answers: { 200: "Entry", ...posted, 409: "invalid_state" },
  },
  "GET /v1/appointments": {
    scope: "appointments:read",
    parameters: ["date query", ...paged],
    answers: { 200: "Appointment[] nextCursor", ...scoped },
  },
  "GET /v1/appointments/{appointmentId}": {
    scope: "appointments:read",
    parameters: ["appointmentId path required"],
    answers: { 200: "Appointment", ...byId },
  },
  "GET /v1/openapi.json": {
    scope: "public",
    parameters: [],
    answers: { 200: "OpenApiDocument", ...open },
  },
  "GET /v1": { scope: "public", parameters: [], answers: { 200: "ApiIndex", ...open } },
};

/** A success in short: its schema, and whether it is a list or a page. */
function success(schema: Json): string {
  if (referred(schema) === "OpenApiDocument") return referred(schema);
  const { data, ...beside } = resolved(schema).properties as Record<string, Json>;
  const held = data?.type === "array" ? `${referred(data.items as Json)}[]` : referred(data ?? {});
  return [held, ...Object.keys(beside)].join(" ");
}

function referred({ $ref }: Json): string {
  return String($ref).replace("#/components/schemas/", "");
}

/** The codes of a refusal, in alphabetical order. */
function codes(answer: Json): string {
  const { schema, examples } = jsonContent(answer);
  expect(schema).toEqual({ $ref: "#/components/schemas/ErrorResponse" });
  return Object.keys(examples as Json)
    .toSorted()
    .join(" ");
}

/** An operation of the document in the notation of section 4. */
function notationOf(operation: Json): Listed {
  const [scope = null] = (operation["x-required-scopes"] ?? []) as Listed["scope"][];
  const { requestBody } = operation as { readonly requestBody?: Json };
  const parameters = ((operation.parameters ?? []) as Json[]).map(({ name, in: place, required }) =>
    [name, place, ...(required ? ["required"] : [])].join(" "),
  );
  const answers = answersOf(operation).map(([status, answer]) => {
    return [status, status < 400 ? success(jsonContent(answer).schema as Json) : codes(answer)];
  });
  return {
    scope: "security" in operation ? "public" : scope,
    parameters,
    ...(requestBody?.required === true && { body: "required" }),
    answers: Object.fromEntries(answers),
  };
}

test("the document has exactly the operations of section 4, and no optional body", () => {
  expect(operations.map(({ name }) => name).sort()).toEqual(Object.keys(section4).sort());
  const bodies = operations.filter(({ operation }) => "requestBody" in operation);
  expect(bodies.map(({ name }) => name)).toEqual(["POST /v1/queues/{queueId}/entries"]);
});

test.each(operations)(
  "$name has exactly its scope, parameters, body, statuses and codes",
  (row) => {
    expect(notationOf(row.operation)).toEqual(section4[row.name]);
  },
);

test.each(errorCodes)("%s has a message of its own and a condition, one sentence each", (code) => {
  expect(errors[code].message).toMatch(/^[A-Z].+\.$/);
  expect(errors[code].when).toMatch(/^[A-Z].+\.$/);
  const same = errorCodes.filter((other) => errors[other].message === errors[code].message);
  expect(same).toEqual([code]);
});
