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
  status: "WAITING IN_SERVICE COMPLETED CANCELED NO_SHOW",
  priority: "boolean",
  serviceId: `${id} or null`,
  customer: "Customer",
  issuedAt: instant,
  startedAt: `${instant} or null`,
  completedAt: `${instant} or null`,
  canceledAt: `${instant} or null`,
  predictedWaitMinutes: "integer or null",
};
const queue = { id, name: "string", isActive: "boolean", isTokenCreationPaused: "boolean" };

/** What section 2 says of each resource, written by hand. Every field is always present. */
const section2: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  Customer: { name: "string or null", phone: "string ^\\d+$ or null" },
  Entry: entry,
  EntryWithPosition: { ...entry, position: "integer or null" },
  Queue: queue,
  QueueSummary: {
    ...queue,
    date,
    counts: {
      waiting: "integer",
      inService: "integer",
      completed: "integer",
      canceled: "integer",
      noShow: "integer",
    },
    averageWaitMinutes: "integer or null",
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
    status: "CONFIRMED CHECKED_IN IN_SERVICE COMPLETED NO_SHOW CANCELLED",
    serviceId: `${id} or null`,
    customer: "Customer",
  },
  Me: {
    business: {
      name: "string",
      slug: "string",
      category: "string or null",
      timezone: "string or null",
    },
    key: {
      id,
      name: "string",
      scopes: ["queue:read queue:write appointments:read"],
      expiresAt: `${instant} or null`,
    },
    limits: { requestsPerMinute: "integer", writesPerMinute: "integer", maxBodyBytes: "integer" },
  },
};

/** A schema in the words of the table. Of an object, only the fields that are always present. */
function told(schema: Json): unknown {
  const { $ref, anyOf, type, items, properties, required = [], format, pattern } = schema;
  if (typeof $ref === "string") return $ref.split("/").at(-1);
  if (Array.isArray(anyOf)) return anyOf.map(told).join(" or ");
  if (Array.isArray(schema.enum)) return schema.enum.join(" ");
  if (type === "array") return [told(items as Json)];
  if (type !== "object")
    return [[type].flat().join(" or "), format, pattern].filter(Boolean).join(" ");
  const fields = (required as string[]).map((name) => [
    name,
    told((properties as Json)[name] as Json),
  ]);
  return Object.fromEntries(fields);
}

const schemas = (document.components as Json).schemas as Json;

describe.each(Object.entries(section2))("%s", (name, fields) => {
  const schema = resolved({ $ref: `#/components/schemas/${name}` });
  const properties = Object.entries(schema.properties as Json);

  test("has its fields, all of them always", () => {
    expect(told(schema)).toEqual(fields);
  });

  test("has no field beside them", () => {
    expect(properties.map(([field]) => field).sort()).toEqual(Object.keys(fields).sort());
  });

  test.each(properties)("tells people what %s is", (_, field) => {
    expect(resolved(field).description).toMatch(/^.{8,}\.$/);
  });
});

test("no resource stands in the document beside those of section 2", () => {
  const others = ["ApiIndex", "CreateEntryRequest", "ErrorDetail", "OpenApiDocument"];
  expect(Object.keys(schemas).sort()).toEqual([...Object.keys(section2), ...others].sort());
});
