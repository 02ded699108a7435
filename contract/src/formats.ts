import { z } from "zod";
import { limits } from "./limits.js";

/** A message for a value that is missing or of the wrong kind. Never repeats the value. */
const expected = (what: string) => (issue: { input?: unknown }) =>
  issue.input === undefined ? "is required" : `must be ${what}`;

/** Text in a request; says "is required" when it is missing. */
const text = () => z.string({ error: expected("a string") });

/** An opaque identifier: 20 to 32 letters and digits, compared as a string and never parsed. */
export const id = text()
  .regex(/^[a-zA-Z0-9]{20,32}$/, "must be 20 to 32 letters and digits")
  .meta({ description: "Opaque identifier.", examples: ["01K2Q7M8Zb4nT6wXc9RvYd3F"] });

/** Where the next page begins; taken from `nextCursor` and never built by a client. */
export const cursor = text()
  .regex(/^[a-zA-Z0-9]{20,32}$/, "must be the nextCursor of an earlier page")
  .meta({
    description: "The `nextCursor` of the previous page.",
    examples: ["01K2Q7M8Zb4nT6wXc9RvYd3F"],
  });

/** An instant, ISO 8601 in UTC. */
export const timestamp = z.iso
  .datetime()
  .meta({ description: "ISO 8601 in UTC.", examples: ["2026-11-21T04:30:00.000Z"] });

/** Whether `YYYY-MM-DD` names a day that the calendar has. */
export function isCalendarDay(day: string): boolean {
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  const real = new Date(0);
  real.setUTCFullYear(year, month - 1, date); // Date.UTC would read the years 0 to 99 as 1900 to 1999
  return real.getUTCMonth() === month - 1 && real.getUTCDate() === date;
}

/** A calendar day `YYYY-MM-DD` in the business's time zone. It must be a day that exists. */
export const day = text()
  .regex(/^\d{4}-\d{2}-\d{2}$/, { error: "must be a date like 2026-11-21", abort: true })
  .refine(isCalendarDay, "must be a day that exists")
  .meta({
    description: "Calendar day in the business's time zone.",
    format: "date",
    examples: ["2026-11-21"],
  });

/** A time of day `HH:MM`, 24 hours, in the business's time zone. */
export const timeOfDay = z
  .string()
  .regex(/^\d{2}:\d{2}$/, "must be a time like 09:30")
  .refine((time) => time < "24:00" && time.slice(3) < "60", "must be a time that exists")
  .meta({
    description: "Time of day, 24-hour, in the business's time zone.",
    examples: ["10:30"],
  });

/** A phone number as it is stored and returned: digits only, country code first. */
export const phoneDigits = z
  .string()
  .regex(/^\d+$/)
  .meta({ description: "Digits only, with the country code.", examples: ["919800000001"] });

/** The digits of a phone number as a person types it. */
export function digitsOf(phone: string): string {
  return phone.replace(/\D/g, "");
}

/** A phone number as a request may send it: 8 to 20 digits with spaces, dashes, brackets and a leading +. */
export const phone = text()
  .regex(/^\+?[0-9 ()-]{8,20}$/, {
    error: "must be 8 to 20 digits; spaces, dashes, brackets and a leading + are allowed",
    abort: true,
  })
  .refine(
    (typed) => digitsOf(typed).length >= limits.phoneDigits.min,
    "must have at least 8 digits",
  )
  .meta({
    description:
      "Phone number with the country code. Spaces, dashes, brackets and a leading + are allowed; stored as digits.",
    examples: ["+91 98000 00001"],
  });

const nameRule = `must be ${limits.nameLength.min} to ${limits.nameLength.max} characters of well-formed Unicode`;

/** A customer's name: 1 to 120 code points of well-formed Unicode, kept exactly as sent. */
export const customerName = text()
  .refine((name) => {
    if (!name.isWellFormed()) return false;
    const { min, max } = limits.nameLength;
    if (name.length > 2 * max) return false; // so that a long body is not spread out to be counted
    const length = [...name].length;
    return length >= min && length <= max;
  }, nameRule)
  .meta({
    description: "The customer's name, 1 to 120 characters.",
    minLength: limits.nameLength.min,
    maxLength: limits.nameLength.max,
    examples: ["Customer 1"],
  });

/** The key under which a creation happens at most once. */
export const idempotencyKey = z
  .string()
  .regex(/^[A-Za-z0-9_-]{8,64}$/, "must be 8 to 64 letters, digits, _ or -")
  .meta({
    description: "Any value unique to this creation. Sending it again returns the first result.",
    examples: ["kiosk-7-2026-11-21-0042"],
  });

/** `limit` of a list: it arrives as text, so only plain digits are read as a number. */
export const pageLimit = z
  .preprocess(
    (value) =>
      typeof value === "string" && /^(0|[1-9]\d{0,8})$/.test(value) ? Number(value) : value,
    z
      .int({ error: "must be a whole number" })
      .min(limits.pageSize.min, "must be at least 1")
      .max(limits.pageSize.max, "must be at most 100"),
  )
  .default(limits.pageSize.default)
  .meta({ description: "Items per page.", examples: [50] }) as unknown as z.ZodType<
  number,
  number | undefined
>;

/** A choice of words, in a request. */
export const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, { error: `must be one of ${words.join(", ")}` });
