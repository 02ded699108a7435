import {
  day,
  isCalendarDay,
  phone,
  phoneDigits,
  routes,
  timeOfDay,
  timestamp,
} from "@queue-api/contract";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { document, type Json } from "./document.js";

/** The part of a schema that the tests use. */
interface Schema {
  parse(value: unknown): unknown;
  safeParse(value: unknown): {
    readonly success: boolean;
    readonly error?: { readonly issues: readonly { readonly message: string }[] } | undefined;
  };
}

/** The message for an invalid value. */
function messages(schema: Schema, value: unknown): string[] {
  return schema.safeParse(value).error?.issues.map(({ message }) => message) ?? [];
}

/** Each format with values that it accepts unchanged, and values that it refuses. */
const formats: readonly [string, Schema, readonly unknown[], readonly unknown[]][] = [
  [
    "a time of day is HH:MM of 24 hours",
    timeOfDay,
    ["00:00", "09:30", "23:59"],
    ["24:00", "23:60", "9:30", "09:30:00", "0930", "", "ab:cd", null],
  ],
  [
    "an instant is ISO 8601 in UTC",
    timestamp,
    ["2026-11-21T04:30:00.000Z", "2026-11-21T04:30:00Z"],
    ["2026-11-21T04:30:00+05:30", "2026-11-21T04:30:00", "2026-11-21", "2026-02-29T00:00:00Z", 0],
  ],
  ["a stored phone number is digits", phoneDigits, ["919800000001"], ["+919800000001"]],
];

describe.each(formats)("%s", (_, schema, good, bad) => {
  test("accepts valid values unchanged", () => {
    for (const value of good) expect(schema.parse(value)).toBe(value);
  });

  test("refuses all others", () => {
    for (const value of bad)
      expect(schema.safeParse(value).success, JSON.stringify(value)).toBe(false);
  });
});

describe("a day", () => {
  test("accepts each existing day and no other", () => {
    const anyNumbers = fc.tuple(fc.nat(9999), fc.nat(13), fc.nat(32));
    fc.assert(
      fc.property(anyNumbers, ([year, month, date]) => {
        const text = `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(date).padStart(2, "0")}`;
        const real = new Date(`${text}T00:00:00Z`);
        const exists = !Number.isNaN(real.getTime()) && real.toISOString().startsWith(text);
        expect(isCalendarDay(text)).toBe(exists);
      }),
    );
  });

  test("describes the error once", () => {
    expect(messages(day, "21.11.2026")).toEqual(["must be a date like 2026-11-21"]);
    expect(messages(day, "2026-02-29")).toEqual(["must be a day that exists"]);
  });
});

test("a phone number has the pattern of the specification and at least 8 digits, in the OpenAPI document too", () => {
  const { schemas } = document.components as { schemas: Record<string, { properties: Json }> };
  const isDocumented = new Ajv2020().compile({
    ...(schemas.CreateEntryRequest?.properties.phone as Json),
    examples: [],
  });
  const mixed = fc.string({ unit: fc.constantFrom(..."0123456789 ()-+"), maxLength: 24 });
  fc.assert(
    fc.property(mixed, (typed) => {
      const asked = /^\+?[0-9 ()-]{8,20}$/.test(typed) && typed.replace(/\D/g, "").length >= 8;
      expect(phone.safeParse(typed).success).toBe(asked);
      expect(isDocumented(typed)).toBe(asked);
    }),
  );
});

test("a list reports all wrong parameters together", () => {
  const wrong = { status: "CANCELLED", date: "2026-02-29", limit: "0", cursor: "x", page: "2" };
  const issues = routes.entries.list.query.safeParse(wrong).error?.issues ?? [];
  expect(Object.fromEntries(issues.map(({ path, message }) => [path.join("."), message]))).toEqual({
    "": expect.stringContaining("page"),
    cursor: "must be the nextCursor of an earlier page",
    date: "must be a day that exists",
    limit: "must be at least 1",
    status: "must be one of WAITING, IN_SERVICE, COMPLETED, CANCELED, NO_SHOW",
  });
});
