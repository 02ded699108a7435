import { initContract } from "@ts-rest/core";
import { z } from "zod";
import { appointment } from "./appointment.js";
import {
  createEntryRequest,
  entry,
  entryExamples,
  entryStatus,
  entryWithPosition,
} from "./entry.js";
import { type ErrorCode, errorResponse, errors, type StatusOf } from "./errors.js";
import { cursor, day, id, idempotencyKey, pageLimit } from "./formats.js";
import { creationHeaders, type ResponseHeader } from "./headers.js";
import { limits } from "./limits.js";
import { me, type Scope } from "./me.js";
import { queue, queueSummary } from "./queue.js";
import { service } from "./service.js";

/** The version of the API. Every path contains the major version. */
export const apiVersion = { full: "1.1.0", major: "v1" } as const;

/** The version of OpenAPI in which the API is described. */
export const openApiVersion = "3.1.1";

/** What a route declares beyond its schemas. */
export interface RouteMetadata {
  /** `public`: no key needed. `null`: any valid key. Otherwise the scope that the key needs. */
  readonly access: Scope | null | "public";
  /** The error codes that this route can return. */
  readonly errors: readonly ErrorCode[];
  /** The name of the operation, unique among all routes. */
  readonly operationId: string;
  /** The content of the success response, in one sentence. */
  readonly success: string;
  /** Headers of the success response, in addition to the common ones. */
  readonly headers?: Readonly<Record<string, ResponseHeader>>;
  /** Operations that use values of the success response, by name. */
  readonly links?: Readonly<Record<string, RouteLink>>;
}

/** How another operation uses values of a response. */
export interface RouteLink {
  readonly operationId: string;
  readonly description: string;
  /** Runtime expressions of OpenAPI, by parameter name. */
  readonly parameters: Readonly<Record<string, string>>;
}

const c = initContract();

/** The envelope of a success. It has a name, so that generated clients get a type for it. */
const data = <Schema extends z.ZodType>(id: string, schema: Schema, ...examples: unknown[]) =>
  z.object({ data: schema }).meta({ id, ...(examples.length > 0 && { examples }) });
const all = <Schema extends z.ZodType>(item: Schema) => z.array(item).describe("All items.");
const page = <Schema extends z.ZodType>(id: string, item: Schema) =>
  z
    .object({
      data: z.array(item).describe("Items of this page, in list order."),
      nextCursor: cursor
        .nullable()
        .describe("Value of `cursor` for the next page; null on the last page."),
    })
    .meta({ id });

/** The responses of a route and its metadata: a success with this status, and the errors with these codes. */
function withResponses<Status extends 200 | 201, Schema extends z.ZodType, Code extends ErrorCode>(
  status: Status,
  success: Schema,
  codes: readonly Code[],
  metadata: Omit<RouteMetadata, "errors">,
) {
  const failures = codes.map((code) => [errors[code].status, errorResponse]);
  type Responses = Record<Status, Schema> & Record<StatusOf<Code>, typeof errorResponse>;
  const responses = { ...Object.fromEntries(failures), [status]: success } as Responses;
  const described: RouteMetadata = { ...metadata, errors: codes };
  return { responses, metadata: described };
}

const publicErrors = ["invalid_request", "request_timeout", "internal_error"] as const;
const keyErrors = [
  "invalid_request",
  "request_timeout",
  "unauthorized",
  "api_access_disabled",
  "ip_not_allowed",
  "rate_limited",
  "too_many_failed_attempts",
  "internal_error",
] as const;
const scopeErrors = [...keyErrors, "insufficient_scope"] as const;
const scopedById = [...scopeErrors, "not_found"] as const;
const withBody = [
  ...scopedById,
  "invalid_json",
  "payload_too_large",
  "unsupported_media_type",
] as const;
const creation = [
  ...withBody,
  "plan_limit_reached",
  "queue_paused",
  "queue_unavailable",
  "request_in_progress",
  "idempotency_key_reuse",
] as const;
const cancellation = [...withBody, "invalid_state"] as const;

const noQuery = z.strictObject({});
const entryWithPositionResponse = data("EntryWithPositionResponse", entryWithPosition);
const queueId = idOf("queue", "01K2Q7M8Xa1bC3dEf5GhJk7M");
const entryId = idOf("entry", entryExamples.waiting.id);
const appointmentId = idOf("appointment", "01K2Q7M8Wd9sF2gHj4KlQw6E");

/** The day and the page of a list. */
const listQuery = {
  date: day
    .optional()
    .describe(
      "Day to list, `YYYY-MM-DD` in the business's time zone. Default: today; with a `cursor`, the cursor's day.",
    ),
  limit: pageLimit,
  cursor: cursor.optional(),
};

/** An identifier in a path. */
function idOf(noun: string, example: string) {
  return id.meta({ description: `Identifier of the ${noun}.`, examples: [example] });
}

/** The twelve endpoints, in the order of the document's section 4. */
export const routes = c.router(
  {
    me: {
      get: {
        method: "GET",
        path: "/v1/me",
        summary: "Get the key, its business and its limits",
        description:
          "Returns the business of the key, the key's scopes and expiry, and its limits.",
        query: noQuery,
        ...withResponses(200, data("MeResponse", me), keyErrors, {
          access: null,
          operationId: "getMe",
          success: "The key, its business and its limits.",
        }),
      },
    },
    services: {
      list: {
        method: "GET",
        path: "/v1/services",
        summary: "List active services",
        description: "Inactive services are not in the list.",
        query: noQuery,
        ...withResponses(200, data("ServiceListResponse", all(service)), scopeErrors, {
          access: "queue:read",
          operationId: "listServices",
          success: "All active services.",
        }),
      },
    },
    queues: {
      list: {
        method: "GET",
        path: "/v1/queues",
        summary: "List queues",
        description: "Returns all queues of the business, including paused and inactive ones.",
        query: noQuery,
        ...withResponses(200, data("QueueListResponse", all(queue)), scopeErrors, {
          access: "queue:read",
          operationId: "listQueues",
          success: "All queues.",
        }),
      },
      get: {
        method: "GET",
        path: "/v1/queues/:queueId",
        summary: "Get a queue with the counts of a day",
        description:
          "Returns the number of entries of one day with each status, and the average estimated wait of the entries that wait now.",
        pathParams: z.strictObject({ queueId }),
        query: z.strictObject({
          date: day
            .optional()
            .describe("Day to count, `YYYY-MM-DD` in the business's time zone. Default: today."),
        }),
        ...withResponses(200, data("QueueSummaryResponse", queueSummary), scopedById, {
          access: "queue:read",
          operationId: "getQueue",
          success: "The queue and the counts of the day.",
        }),
      },
    },
    entries: {
      list: {
        method: "GET",
        path: "/v1/queues/:queueId/entries",
        summary: "List the entries of a day in token order",
        description:
          "`nextCursor` of a page leads to the next page. Each entry appears once and in order, even if entries are created or canceled between two pages. To see changes, poll every 5 to 10 seconds.",
        pathParams: z.strictObject({ queueId }),
        query: z.strictObject({
          status: entryStatus.optional().meta({
            description: "Return only entries with this status. Default: all entries.",
            examples: ["WAITING"],
          }),
          ...listQuery,
        }),
        ...withResponses(200, page("EntryPage", entry), scopedById, {
          access: "queue:read",
          operationId: "listEntries",
          success: "One page of entries.",
        }),
      },
      create: {
        method: "POST",
        path: "/v1/queues/:queueId/entries",
        summary: "Create a token",
        description: `With an \`Idempotency-Key\`, a retry never creates a second token: for ${limits.idempotencyHours} hours, a request with the same key and the same body returns the first result with the header \`Idempotent-Replay\`. The same key with another body returns 422. While the first request still runs, the service returns 409 with \`Retry-After\`. A key whose request was refused can be used again. The service sends no message to the customer.`,
        pathParams: z.strictObject({ queueId }),
        query: noQuery,
        headers: z.object({ "idempotency-key": idempotencyKey.optional() }),
        body: createEntryRequest,
        ...withResponses(201, entryWithPositionResponse, creation, {
          access: "queue:write",
          operationId: "createEntry",
          success:
            "The new entry and its place in the line. A replay returns the first response again.",
          headers: creationHeaders,
          links: {
            getEntry: {
              operationId: "getEntry",
              description: "The new entry with its current position.",
              parameters: { entryId: "$response.body#/data/id" },
            },
            cancelEntry: {
              operationId: "cancelEntry",
              description: "Cancels the new entry if it is still waiting.",
              parameters: { entryId: "$response.body#/data/id" },
            },
          },
        }),
      },
      get: {
        method: "GET",
        path: "/v1/entries/:entryId",
        summary: "Get an entry with its current position",
        description: "`position` is set while the entry waits. 1 is next.",
        pathParams: z.strictObject({ entryId }),
        query: noQuery,
        ...withResponses(200, entryWithPositionResponse, scopedById, {
          access: "queue:read",
          operationId: "getEntry",
          success: "The entry and its place in the line.",
        }),
      },
      cancel: {
        method: "POST",
        path: "/v1/entries/:entryId/cancel",
        summary: "Cancel a waiting entry",
        description:
          "Only an entry with status `WAITING` can be canceled. For any other status, the service returns 409. The request has no body.",
        pathParams: z.strictObject({ entryId }),
        query: noQuery,
        body: z.strictObject({}).nullish(),
        ...withResponses(
          200,
          data("CanceledEntryResponse", entry, { data: entryExamples.canceled }),
          cancellation,
          {
            access: "queue:write",
            operationId: "cancelEntry",
            success: "The canceled entry.",
          },
        ),
      },
    },
    appointments: {
      list: {
        method: "GET",
        path: "/v1/appointments",
        summary: "List the appointments of a day",
        description:
          "Appointments are in the order of their slot times. `nextCursor` of a page leads to the next page.",
        query: z.strictObject(listQuery),
        ...withResponses(200, page("AppointmentPage", appointment), scopeErrors, {
          access: "appointments:read",
          operationId: "listAppointments",
          success: "One page of appointments.",
        }),
      },
      get: {
        method: "GET",
        path: "/v1/appointments/:appointmentId",
        summary: "Get an appointment",
        description: "The API can only read appointments. The response never contains their notes.",
        pathParams: z.strictObject({ appointmentId }),
        query: noQuery,
        ...withResponses(200, data("AppointmentResponse", appointment), scopedById, {
          access: "appointments:read",
          operationId: "getAppointment",
          success: "The appointment.",
        }),
      },
    },
    public: {
      openapi: {
        method: "GET",
        path: "/v1/openapi.json",
        summary: "Get the OpenAPI 3.1 document",
        description:
          "Describes the API for client generators and for tools that validate requests and responses.",
        query: noQuery,
        ...withResponses(
          200,
          z
            .looseObject({
              openapi: z.string().meta({
                description: "OpenAPI version of the document.",
                examples: [openApiVersion],
              }),
            })
            .meta({ id: "OpenApiDocument" }),
          publicErrors,
          {
            access: "public",
            operationId: "getOpenApi",
            success: "The OpenAPI document.",
          },
        ),
      },
      index: {
        method: "GET",
        path: "/v1",
        summary: "Get the name and version of the service",
        description:
          "Returns the name and version of the service, and the URLs of its documentation. The response is the same for all callers.",
        query: noQuery,
        ...withResponses(
          200,
          data(
            "ApiIndexResponse",
            z
              .object({
                name: z.string().describe("Name of the service."),
                version: z.string().describe("Version of the API."),
                apiVersion: z.string().describe("Major version, the first part of every path."),
                docsUrl: z.url().describe("URL of the developer reference."),
                openapiUrl: z.url().describe("URL of the OpenAPI document."),
              })
              .meta({
                id: "ApiIndex",
                description: "Name and version of the service, and the URLs of its documentation.",
                examples: [
                  {
                    name: "Queue API",
                    version: "1.1.0",
                    apiVersion: "v1",
                    docsUrl: "https://queue.example/docs",
                    openapiUrl: "https://queue.example/v1/openapi.json",
                  },
                ],
              }),
          ),
          publicErrors,
          {
            access: "public",
            operationId: "getIndex",
            success: "The name, the version and the URLs.",
          },
        ),
      },
    },
  },
  { strictStatusCodes: true },
);
