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

/** The resources of section 2, written by hand. Every field is always present. */
const section2: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
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

/** The enums of section 2. */
const words: Readonly<Record<string, readonly string[]>> = {
  EntryStatus: ["WAITING", "IN_SERVICE", "COMPLETED", "CANCELED", "NO_SHOW"],
  AppointmentStatus: ["CONFIRMED", "CHECKED_IN", "IN_SERVICE", "COMPLETED", "NO_SHOW", "CANCELLED"],
  Scope: ["queue:read", "queue:write", "appointments:read"],
};

/** A type in the notation of the table, or null. */
function orNull(type: string): string {
  return type.replace(/^\w+/, "$& or null");
}

/** A schema in the notation of the table. For an object, only the fields that are always present. */
function documented(schema: Json): unknown {
  const { $ref, type, items, properties, required = [], format, pattern } = schema;
  if (typeof $ref === "string") return $ref.split("/").at(-1);
  if (type === "array") return [documented(items as Json)];
  if (type !== "object")
    return [[type].flat().join(" or "), format, pattern].filter(Boolean).join(" ");
  const fields = (required as string[]).map((name) => [
    name,
    documented((properties as Json)[name] as Json),
  ]);
  return Object.fromEntries(fields);
}

const schemas = (document.components as Json).schemas as Json;

describe.each(Object.entries(section2))("%s", (name, fields) => {
  const schema = resolved({ $ref: `#/components/schemas/${name}` });
  const properties = Object.entries(schema.properties as Json);

  test("has exactly its fields, all required", () => {
    expect(documented(schema)).toEqual(fields);
    expect(properties.map(([field]) => field).sort()).toEqual(Object.keys(fields).sort());
  });

  test.each(properties)("describes %s", (_, field) => {
    expect(resolved(field).description).toMatch(/^.{8,}\.$/);
  });
});

test.each(Object.entries(words))("%s has exactly its values", (name, expected) => {
  expect(schemas[name]).toMatchObject({ type: "string", enum: expected });
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
    [...Object.keys(section2), ...Object.keys(words), ...others, ...errors].sort(),
  );
});

test("the schemas of responses allow new fields, and the one of a body does not", () => {
  const closed = JSON.stringify(schemas).match(/"additionalProperties":false/g);
  expect(closed, "CreateEntryRequest alone").toHaveLength(1);
});
