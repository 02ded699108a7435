import { errorCodes } from "@queue-api/contract";
import { describe, expect, test } from "vitest";
import { document, type Json, resolved } from "./document.js";

const id = "string ^[a-zA-Z0-9]{20,32}$";
const instant = "string date-time";
const date = "string date ^\\d{4}-\\d{2}-\\d{2}$";
const entry = {
  id,
  token: "string",
  tokenSeries: "string",
  tokenNumber: "integer",
  status: "EntryStatus",
  priority: "boolean",
  serviceId: orNull(id),
  customer: "Customer",
  issuedAt: instant,
  startedAt: orNull(instant),
  completedAt: orNull(instant),
  canceledAt: orNull(instant),
  predictedWaitMinutes: "integer or null",
};
const queue = { id, name: "string", isActive: "boolean", isTokenCreationPaused: "boolean" };

/** The resources and enums of section 2, written by hand. Every field is always present. */
const section2: Readonly<Record<string, unknown>> = {
  EntryStatus: "string WAITING,IN_SERVICE,COMPLETED,CANCELED,NO_SHOW",
  AppointmentStatus: "string CONFIRMED,CHECKED_IN,IN_SERVICE,COMPLETED,NO_SHOW,CANCELLED",
  Scope: "string queue:read,queue:write,appointments:read",
  Customer: { name: "string or null", phone: "string or null ^\\d+$" },
  Entry: entry,
  EntryWithPosition: { ...entry, position: "integer or null" },
  Queue: queue,
  QueueSummary: {
    ...queue,
    date,
    counts: "QueueCounts",
    averageWaitMinutes: "integer or null",
  },
  QueueCounts: {
    waiting: "integer",
    inService: "integer",
    completed: "integer",
    canceled: "integer",
    noShow: "integer",
  },
  Service: {
    id,
    name: "string",
    price: "integer or null",
    baseTimeMinutes: "integer or null",
  },
  Appointment: {
    id,
    date,
    slotTime: "string ^\\d{2}:\\d{2}$",
    durationMinutes: "integer",
    status: "AppointmentStatus",
    serviceId: orNull(id),
    customer: "Customer",
  },
  Me: { business: "Business", key: "ApiKey", limits: "KeyLimits" },
  Business: {
    name: "string",
    slug: "string",
    category: "string or null",
    timezone: "string or null",
  },
  ApiKey: { id, name: "string", scopes: ["Scope"], expiresAt: orNull(instant) },
  KeyLimits: {
    requestsPerMinute: "integer",
    writesPerMinute: "integer",
    maxBodyBytes: "integer",
  },
  MeResponse: { data: "Me" },
  ServiceListResponse: { data: ["Service"] },
  QueueListResponse: { data: ["Queue"] },
  QueueSummaryResponse: { data: "QueueSummary" },
  EntryPage: { data: ["Entry"], nextCursor: orNull(id) },
  EntryWithPositionResponse: { data: "EntryWithPosition" },
  CanceledEntryResponse: { data: "Entry" },
  AppointmentPage: { data: ["Appointment"], nextCursor: orNull(id) },
  AppointmentResponse: { data: "Appointment" },
};

/** A type in the notation of the table, or null. */
function orNull(type: string): string {
  return type.replace(/^\w+/, "$& or null");
}

/** A schema in the notation of the table. The name of an optional field ends with `?`. */
function documented(schema: Json): unknown {
  const { $ref, type, enum: values, items, properties, required = [], format, pattern } = schema;
  if (typeof $ref === "string") return $ref.split("/").at(-1);
  if (type === "array") return [documented(items as Json)];
  if (type !== "object")
    return [[type].flat().join(" or "), values, format, pattern].filter(Boolean).join(" ");
  const fields = Object.entries(properties as Json).map(([name, field]) => [
    (required as string[]).includes(name) ? name : `${name}?`,
    documented(field as Json),
  ]);
  return Object.fromEntries(fields);
}

const schemas = (document.components as Json).schemas as Json;

describe.each(Object.entries(section2))("%s", (name, expected) => {
  const schema = schemas[name] as Json;

  test("has exactly its fields, all required, or its values", () => {
    expect(documented(schema)).toEqual(expected);
  });

  test.each(Object.entries(schema.properties ?? {}))("describes %s", (_, field) => {
    expect(resolved(field).description).toMatch(/^.{8,}\.$/);
  });
});

test("an error has its fields, of which two exist only for one code each", () => {
  const { properties, required } = schemas.Error as { properties: Json; required: string[] };
  expect(required).toEqual(["code", "message", "requestId", "docUrl"]);
  expect(Object.keys(properties)).toEqual([...required, "details", "required"]);
  expect(properties.details).toMatchObject({
    description: expect.stringContaining("only for `invalid_request`"),
    items: { $ref: "#/components/schemas/ErrorDetail" },
  });
  expect(properties.required).toMatchObject({
    description: expect.stringContaining("only for `insufficient_scope`"),
  });
});

test("the code of an error is an open string with its known values", () => {
  const { code } = (schemas.Error as { properties: { code: Json } }).properties;
  expect(code).not.toHaveProperty("enum");
  expect(code).toMatchObject({ type: "string", "x-extensible-enum": errorCodes });
  for (const known of errorCodes) expect(code.description).toContain(known);
});

test("the document has no resource that section 2 does not have", () => {
  const others = ["ApiIndex", "ApiIndexResponse", "CreateEntryRequest", "OpenApiDocument"];
  const errors = ["Error", "ErrorDetail", "ErrorResponse"];
  expect(Object.keys(schemas).sort()).toEqual(
    [...Object.keys(section2), ...others, ...errors].sort(),
  );
});

test("the schemas of responses allow new fields, and the one of a body does not", () => {
  const closed = JSON.stringify(schemas).match(/"additionalProperties":false/g);
  expect(closed, "CreateEntryRequest alone").toHaveLength(1);
});
