import {
  createEntryRequest,
  cursor,
  customerName,
  day,
  id,
  idempotencyKey,
  isCalendarDay,
  pageLimit,
  phone,
  phoneDigits,
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

/** Tests that a schema accepts some values unchanged, and refuses others. */
function takes(schema: Schema, good: readonly unknown[], bad: readonly unknown[]): void {
  test.each(good)("%j is accepted unchanged", (value) => {
    expect(schema.parse(value)).toBe(value);
  });
  test.each(bad)("%j is refused", (value) => {
    expect(schema.safeParse(value).success).toBe(false);
  });
}

/** The message for an invalid value. */
function messages(schema: Schema, value: unknown): string[] {
  return schema.safeParse(value).error?.issues.map(({ message }) => message) ?? [];
}

const letters = (length: number) => "aZ09".repeat(length).slice(0, length);

describe.each([
  ["an identifier", id],
  ["a cursor", cursor],
])("%s is 20 to 32 letters and digits", (_, schema) => {
  takes(
    schema,
    [letters(20), letters(24), letters(32)],
    [
      letters(19),
      letters(33),
      "",
      `${letters(20)}\n`,
      ` ${letters(20)}`,
      `${letters(20)}-`,
      `${letters(20)}é`,
      `${letters(20)}٣`,
      `${letters(20)}/`,
      null,
      20,
    ],
  );
});

describe("a day is YYYY-MM-DD and exists", () => {
  takes(
    day,
    [
      "2026-11-21",
      "2028-02-29",
      "2000-02-29",
      "2026-12-31",
      "0000-01-01",
      "0000-02-29",
      "0001-01-01",
      "0050-06-15",
      "9999-12-31",
    ],
    [
      "2026-02-29",
      "1900-02-29",
      "0000-00-00",
      "0000-02-30",
      "2026-02-30",
      "2026-04-31",
      "2026-13-01",
      "2026-00-10",
      "2026-11-00",
      "2026-11-32",
      "2026-1-1",
      "20261121",
      "2026-11-21T00:00:00Z",
      "2026-11-21 ",
      "today",
      "",
      "٢٠٢٦-١١-٢١",
      null,
    ],
  );

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

describe("a time of day is HH:MM of 24 hours", () => {
  takes(
    timeOfDay,
    ["00:00", "09:30", "23:59"],
    ["24:00", "23:60", "9:30", "09:30:00", "0930", "", "ab:cd", null],
  );
});

describe("an instant is ISO 8601 in UTC", () => {
  takes(
    timestamp,
    ["2026-11-21T04:30:00.000Z", "2026-11-21T04:30:00Z"],
    ["2026-11-21T04:30:00+05:30", "2026-11-21T04:30:00", "2026-11-21", "2026-02-29T00:00:00Z", 0],
  );
});

describe("a phone number has 8 to 20 digits, with allowed characters between them", () => {
  takes(
    phone,
    [
      "12345678",
      "+12345678",
      "12345678901234567890",
      "+12345678901234567890",
      "+91 98000 00001",
      "(020) 7946-0958",
      "        12345678",
      "--(12345678)--",
    ],
    [
      "1234567",
      "+1234567",
      "123456789012345678901",
      "1234567       ",
      "                    ",
      "+91 98000 00001 00001 0",
      "12345678+",
      "++12345678",
      "12345678x",
      "12.34.56.78",
      "1234\t5678",
      "12345678\n",
      "١٢٣٤٥٦٧٨",
      "",
      12345678,
      null,
    ],
  );

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

  test("is stored as digits", () => {
    expect(phoneDigits.parse("919800000001")).toBe("919800000001");
    expect(phoneDigits.safeParse("+919800000001").success).toBe(false);
  });
});

describe("a name is 1 to 120 code points of well-formed Unicode", () => {
  takes(
    customerName,
    [
      "A",
      " ",
      "a".repeat(120),
      "😀".repeat(120),
      "सीता",
      "e\u0301",
      "👨‍👩‍👧‍👦",
      "\u0000",
      "\ud83d\ude00",
      "O'Brien <b>",
    ],
    [
      "",
      "a".repeat(121),
      "😀".repeat(121),
      `${"😀".repeat(120)}a`,
      "\ud83d",
      "\ude00",
      "Customer \ud83d",
      "\ude00\ud83d",
      null,
      1,
      ["a"],
    ],
  );
});

test("a name that fills a whole body is refused", () => {
  expect(customerName.safeParse("a".repeat(30_000)).success).toBe(false);
});

describe("an idempotency key is 8 to 64 letters, digits, _ and -", () => {
  takes(
    idempotencyKey,
    ["a".repeat(8), "a".repeat(64), "kiosk-7_2026", "--------", "________", "00000000"],
    [
      "a".repeat(7),
      "a".repeat(65),
      "",
      "kiosk 7a",
      "kiosk.7a",
      "schlüssel",
      "abcdefgh,abcdefgh",
      "abcdefgh\n",
    ],
  );
});

describe("a page size is a whole number of 1 to 100", () => {
  test.each([
    ["1", 1],
    ["50", 50],
    ["100", 100],
    [1, 1],
    [100, 100],
    [undefined, 50],
  ])("%j is read as %j", (sent, read) => {
    expect(pageLimit.parse(sent)).toBe(read);
  });

  test.each([
    ["0", "must be at least 1"],
    ["101", "must be at most 100"],
    ["999999999", "must be at most 100"],
    ["", "must be a whole number"],
    [" ", "must be a whole number"],
    ["050", "must be a whole number"],
    ["1e1", "must be a whole number"],
    ["0x10", "must be a whole number"],
    ["1.0", "must be a whole number"],
    ["+5", "must be a whole number"],
    ["-1", "must be a whole number"],
    [" 5", "must be a whole number"],
    ["5\n", "must be a whole number"],
    ["٥", "must be a whole number"],
    ["99999999999999999999", "must be a whole number"],
    ["true", "must be a whole number"],
    [null, "must be a whole number"],
    [1.5, "must be a whole number"],
    [["1", "2"], "must be a whole number"],
  ])("%j is refused: %s", (sent, message) => {
    expect(messages(pageLimit, sent)).toEqual([message]);
  });
});

describe("the body of a creation", () => {
  const body = { name: "Customer 1", phone: "+91 98000 00001" };

  /** Field and message of each fault. */
  function faults(value: unknown): string[] {
    return (createEntryRequest.safeParse(value).error?.issues ?? []).map(
      ({ path, message }) => `${path.join(".")}: ${message}`,
    );
  }

  test("needs a name and a phone, and can have a serviceId", () => {
    const full = { ...body, serviceId: letters(24) };
    expect(createEntryRequest.parse(body)).toEqual(body);
    expect(createEntryRequest.parse(full)).toEqual(full);
  });

  test("gets one error for every missing field, together", () => {
    expect(faults({})).toEqual(["name: is required", "phone: is required"]);
  });

  test("gets one error for every wrong field, together", () => {
    expect(faults({ name: 1, phone: "1", serviceId: null })).toEqual([
      "name: must be a string",
      "phone: must be 8 to 20 digits in at most 20 characters; spaces, dashes, brackets and a leading + (not counted) are allowed",
      "serviceId: must be a string",
    ]);
  });

  test.each(["priority", "status", "Name", "constructor", "toString"])(
    "has no field %s",
    (field) => {
      const { error } = createEntryRequest.safeParse({ ...body, [field]: "x" });
      expect(error?.issues).toEqual([
        expect.objectContaining({ code: "unrecognized_keys", keys: [field] }),
      ]);
    },
  );

  test("has no field __proto__", () => {
    const value = JSON.parse('{"name":"Customer 1","phone":"12345678","__proto__":{"a":1}}');
    expect(createEntryRequest.safeParse(value).success).toBe(false);
  });

  test.each([null, [], "text", 1, true])("is an object, not %j", (value) => {
    expect(createEntryRequest.safeParse(value).success).toBe(false);
  });

  test("is never repeated in an error message", () => {
    const secret = "s3cr3t-9876543210-value";
    const all = { name: [secret], phone: secret, serviceId: secret, extra: secret };
    expect(JSON.stringify(faults(all))).not.toContain(secret);
  });
});
