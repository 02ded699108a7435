import {
  createEntryRequest,
  cursor,
  customerName,
  day,
  id,
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

const letters = (length: number) => "aZ09".repeat(length).slice(0, length);

/** Each format with values that it accepts unchanged, and values that it refuses. */
const formats: readonly [string, Schema, readonly unknown[], readonly unknown[]][] = [
  ...[id, cursor].map((schema, at): [string, Schema, unknown[], unknown[]] => [
    `${["an identifier", "a cursor"][at]} is 20 to 32 letters and digits`,
    schema,
    [20, 24, 32].map(letters),
    [
      ...[19, 33, 0].map(letters),
      ...["\n", "-", "é", "٣", "/"].map((end) => `${letters(20)}${end}`),
      ...[` ${letters(20)}`, null, 20],
    ],
  ]),
  [
    "a day is YYYY-MM-DD and exists",
    day,
    [
      ...["2026-11-21", "2028-02-29", "2000-02-29", "2026-12-31"],
      ...["0000-02-29", "0050-06-15", "9999-12-31"],
    ],
    [
      ...["2026-02-29", "1900-02-29", "0000-00-00", "2026-04-31"],
      ...["2026-13-01", "2026-00-10", "2026-11-32"],
      ...["2026-1-1", "20261121", "2026-11-21T00:00:00Z", "2026-11-21 ", "today", ""],
      ...["٢٠٢٦-١١-٢١", null],
    ],
  ],
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
  [
    "a phone number may have other characters around its digits, and is a text",
    phone,
    ["+91 98000 00001", "(020) 7946-0958", "        12345678", "--(12345678)--"],
    ["1234567       ", "+91 98000 00001 00001 0", "12345678+", "1234\t5678", 12345678, null],
  ],
  ["a stored phone number is digits", phoneDigits, ["919800000001"], ["+919800000001"]],
  [
    "a name is 1 to 120 code points of well-formed Unicode",
    customerName,
    ["सीता", "e\u0301", "👨‍👩‍👧‍👦", "\u0000", "\ud83d\ude00", "O'Brien <b>"],
    [
      ...[`${"😀".repeat(120)}a`, "a".repeat(30_000), "\ude00", "Customer \ud83d", "\ude00\ud83d"],
      ...[null, 1, ["a"]],
    ],
  ],
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

describe("a phone number", () => {
  test.each([
    ["too few digits, filled up with other allowed characters", "(1234567)"],
    ["too many characters with a valid number of digits", "+49 (0) 1512 3456-789-01"],
    ["other characters", "12.34.56.78"],
  ])("has the whole rule in its message for %s", (_, wrong) => {
    expect(messages(phone, wrong)).toEqual([
      "must be 8 to 20 digits in at most 20 characters; spaces, dashes, brackets and a leading + (not counted) are allowed",
    ]);
  });

  test("has the pattern of the specification and at least 8 digits, in the OpenAPI document too", () => {
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

test("the body of a creation gets one error for every wrong field, together", () => {
  const { error } = createEntryRequest.safeParse({ name: 1, phone: "1", serviceId: null });
  expect(error?.issues.map(({ path, message }) => `${path}: ${message}`)).toEqual([
    "name: must be a string",
    "phone: must be 8 to 20 digits in at most 20 characters; spaces, dashes, brackets and a leading + (not counted) are allowed",
    "serviceId: must be a string",
  ]);
});
