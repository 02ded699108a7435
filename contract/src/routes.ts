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
import { type AnswerHeader, creationHeaders } from "./headers.js";
import { limits } from "./limits.js";
import { me, type Scope } from "./me.js";
import { queue, queueSummary } from "./queue.js";
import { service } from "./service.js";

/** The version of the API. Every path contains the major version. */
export const apiVersion = { full: "1.1.0", major: "v1" } as const;

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
  readonly headers?: Readonly<Record<string, AnswerHeader>>;
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
const all = <Schema extends z.ZodType>(item: Schema) =>
  z.array(item).meta({ description: "All items." });
const page = <Schema extends z.ZodType>(id: string, item: Schema) =>
  z
    .object({
      data: z.array(item).meta({ description: "Items of this page, in the order of the list." }),
      nextCursor: cursor.nullable().meta({
        description: "The `cursor` of the next page; null means that this is the last one.",
      }),
    })
    .meta({ id });

/** The schemas of the error responses with these codes, by status. */
function refusals<Code extends ErrorCode>(codes: readonly Code[]) {
  const schemas = codes.map((code) => [errors[code].status, errorResponse]);
  return Object.fromEntries(schemas) as Record<StatusOf<Code>, typeof errorResponse>;
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
        summary: "The key, its business and its limits",
        description:
          "Tells which business a key belongs to, what the key may do, until when, and how often.",
        query: noQuery,
        responses: { 200: data("MeResponse", me), ...refusals(keyErrors) },
        metadata: {
          access: null,
          errors: keyErrors,
          operationId: "getMe",
          success: "The key, its business and its limits.",
        } satisfies RouteMetadata,
      },
    },
    services: {
      list: {
        method: "GET",
        path: "/v1/services",
        summary: "List active services",
        description: "Services that are switched off are left out.",
        query: noQuery,
        responses: { 200: data("ServiceListResponse", all(service)), ...refusals(scopeErrors) },
        metadata: {
          access: "queue:read",
          errors: scopeErrors,
          operationId: "listServices",
          success: "All active services.",
        } satisfies RouteMetadata,
      },
    },
    queues: {
      list: {
        method: "GET",
        path: "/v1/queues",
        summary: "List queues",
        description: "All queues of the business, whether they take tokens or not.",
        query: noQuery,
        responses: { 200: data("QueueListResponse", all(queue)), ...refusals(scopeErrors) },
        metadata: {
          access: "queue:read",
          errors: scopeErrors,
          operationId: "listQueues",
          success: "All queues.",
        } satisfies RouteMetadata,
      },
      get: {
        method: "GET",
        path: "/v1/queues/:queueId",
        summary: "A queue with a day's counts",
        description:
          "Counts the entries of one day by state, and says how long the people waiting now will wait on average.",
        pathParams: z.strictObject({ queueId }),
        query: z.strictObject({
          date: day.optional().meta({
            description:
              "The day to count, `YYYY-MM-DD` in the business's time zone. Default: today.",
          }),
        }),
        responses: { 200: data("QueueSummaryResponse", queueSummary), ...refusals(scopedById) },
        metadata: {
          access: "queue:read",
          errors: scopedById,
          operationId: "getQueue",
          success: "The queue and the counts of the day.",
        } satisfies RouteMetadata,
      },
    },
    entries: {
      list: {
        method: "GET",
        path: "/v1/queues/:queueId/entries",
        summary: "List a day's entries in token order",
        description:
          "Pages are joined by `nextCursor`. Whatever is created or canceled in between, each entry comes once and in order. To see changes, poll every 5 to 10 seconds.",
        pathParams: z.strictObject({ queueId }),
        query: z.strictObject({
          status: entryStatus.optional().meta({
            description: "Only entries in this state; all by default.",
            examples: ["WAITING"],
          }),
          date: day.optional().meta({
            description:
              "The day to list, `YYYY-MM-DD` in the business's time zone. Default: today; with a `cursor`, the cursor's day.",
          }),
          limit: pageLimit,
          cursor: cursor.optional(),
        }),
        responses: { 200: page("EntryPage", entry), ...refusals(scopedById) },
        metadata: {
          access: "queue:read",
          errors: scopedById,
          operationId: "listEntries",
          success: "One page of entries.",
        } satisfies RouteMetadata,
      },
      create: {
        method: "POST",
        path: "/v1/queues/:queueId/entries",
        summary: "Create a token",
        description: `Send an \`Idempotency-Key\`, and a retry can never make a second token: the same key with the same body is answered with the first result for ${limits.idempotencyHours} hours, marked by \`Idempotent-Replay\`. The same key with another body is refused with 422, and with 409 and \`Retry-After\` while the first request still runs. A refused request leaves its key free. No message is sent to the customer.`,
        pathParams: z.strictObject({ queueId }),
        query: noQuery,
        headers: z.object({ "idempotency-key": idempotencyKey.optional() }),
        body: createEntryRequest,
        responses: { 201: entryWithPositionResponse, ...refusals(creation) },
        metadata: {
          access: "queue:write",
          errors: creation,
          operationId: "createEntry",
          success: "The new entry and its place in the line; on a replay, the first answer again.",
          headers: creationHeaders,
          links: {
            getEntry: {
              operationId: "getEntry",
              description: "The new entry, with its live position.",
              parameters: { entryId: "$response.body#/data/id" },
            },
            cancelEntry: {
              operationId: "cancelEntry",
              description: "Cancels the new entry while it waits.",
              parameters: { entryId: "$response.body#/data/id" },
            },
          },
        } satisfies RouteMetadata,
      },
      get: {
        method: "GET",
        path: "/v1/entries/:entryId",
        summary: "An entry with its live position",
        description: "`position` is set while the entry waits: 1 means next.",
        pathParams: z.strictObject({ entryId }),
        query: noQuery,
        responses: { 200: entryWithPositionResponse, ...refusals(scopedById) },
        metadata: {
          access: "queue:read",
          errors: scopedById,
          operationId: "getEntry",
          success: "The entry and its place in the line.",
        } satisfies RouteMetadata,
      },
      cancel: {
        method: "POST",
        path: "/v1/entries/:entryId/cancel",
        summary: "Cancel a waiting entry",
        description:
          "Only an entry that is waiting can be canceled; any other is refused with 409. The request has no body.",
        pathParams: z.strictObject({ entryId }),
        query: noQuery,
        body: z.strictObject({}).nullish(),
        responses: {
          200: data("CanceledEntryResponse", entry, { data: entryExamples.canceled }),
          ...refusals(cancellation),
        },
        metadata: {
          access: "queue:write",
          errors: cancellation,
          operationId: "cancelEntry",
          success: "The entry, canceled.",
        } satisfies RouteMetadata,
      },
    },
    appointments: {
      list: {
        method: "GET",
        path: "/v1/appointments",
        summary: "List a day's appointments",
        description: "By slot time. Pages are joined by `nextCursor`.",
        query: z.strictObject({
          date: day.optional().meta({
            description:
              "The day to list, `YYYY-MM-DD` in the business's time zone. Default: today; with a `cursor`, the cursor's day.",
          }),
          limit: pageLimit,
          cursor: cursor.optional(),
        }),
        responses: { 200: page("AppointmentPage", appointment), ...refusals(scopeErrors) },
        metadata: {
          access: "appointments:read",
          errors: scopeErrors,
          operationId: "listAppointments",
          success: "One page of appointments.",
        } satisfies RouteMetadata,
      },
      get: {
        method: "GET",
        path: "/v1/appointments/:appointmentId",
        summary: "An appointment",
        description: "Appointments are read only, and their notes are never part of an answer.",
        pathParams: z.strictObject({ appointmentId }),
        query: noQuery,
        responses: { 200: data("AppointmentResponse", appointment), ...refusals(scopedById) },
        metadata: {
          access: "appointments:read",
          errors: scopedById,
          operationId: "getAppointment",
          success: "The appointment.",
        } satisfies RouteMetadata,
      },
    },
    public: {
      openapi: {
        method: "GET",
        path: "/v1/openapi.json",
        summary: "This description of the API, OpenAPI 3.1",
        description: "For generators of clients, and for tools that check requests and answers.",
        query: noQuery,
        responses: {
          200: z
            .looseObject({ openapi: z.string().meta({ description: "Version of OpenAPI." }) })
            .meta({ id: "OpenApiDocument" }),
          ...refusals(publicErrors),
        },
        metadata: {
          access: "public",
          errors: publicErrors,
          operationId: "getOpenApi",
          success: "The description.",
        } satisfies RouteMetadata,
      },
      index: {
        method: "GET",
        path: "/v1",
        summary: "Name, version and where to read on",
        description: "The same for everybody.",
        query: noQuery,
        responses: {
          200: data(
            "ApiIndexResponse",
            z
              .object({
                name: z.string().meta({ description: "Name of the service." }),
                version: z.string().meta({ description: "Version of the interface." }),
                apiVersion: z.string().meta({ description: "Major version, as in every path." }),
                docsUrl: z.url().meta({ description: "The developer reference." }),
                openapiUrl: z.url().meta({ description: "The OpenAPI description." }),
              })
              .meta({
                id: "ApiIndex",
                description: "What the service is, and where to read on.",
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
          ...refusals(publicErrors),
        },
        metadata: {
          access: "public",
          errors: publicErrors,
          operationId: "getIndex",
          success: "The name, the version and the addresses.",
        } satisfies RouteMetadata,
      },
    },
  },
  { strictStatusCodes: true },
);
