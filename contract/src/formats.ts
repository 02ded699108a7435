import { z } from "zod";
import { limits } from "./limits.js";
import {
  missingMessage,
  notTextMessage,
  pageSizeMessages,
  type TextRule,
  textRules,
} from "./text-rules.js";

/** Text in a request that follows these rules; says "is required" when it is missing. */
function text(rules: readonly TextRule[]) {
  let schema = z.string({
    error: (issue) => (issue.input === undefined ? missingMessage : notTextMessage),
  });
  for (const { pattern, holds, message } of rules) {
    schema = pattern
      ? schema.regex(pattern, { error: message, abort: true })
      : schema.refine(holds, message);
  }
  return schema;
}

/** An opaque identifier: 20 to 32 letters and digits, compared as a string and never parsed. */
export const id = text(textRules.id).meta({
  description: "Opaque identifier.",
  examples: ["01K2Q7M8Zb4nT6wXc9RvYd3F"],
});

/** Where the next page begins; taken from `nextCursor` and never built by a client. */
export const cursor = text(textRules.cursor).meta({
  description:
    "The `nextCursor` of the previous page. Send it with the `date` that the first page was asked for with. Without `date`, the page belongs to the cursor's day, so that a list can be read to its end after midnight.",
  examples: ["01K2Q7M8Zb4nT6wXc9RvYd3F"],
});

/** An instant, ISO 8601 in UTC. */
export const timestamp = z.iso
  .datetime()
  .meta({ description: "ISO 8601 in UTC.", examples: ["2026-11-21T04:30:00.000Z"] });

/** A calendar day `YYYY-MM-DD` in the business's time zone. It must be a day that exists. */
export const day = text(textRules.day).meta({
  description: "A calendar day, `YYYY-MM-DD` in the business's time zone.",
  format: "date",
  examples: ["2026-11-21"],
});

/** A time of day `HH:MM`, 24 hours, in the business's time zone. */
export const timeOfDay = z
  .string()
  .regex(/^\d{2}:\d{2}$/, "must be a time like 09:30")
  .refine((time) => time < "24:00" && time.slice(3) < "60", "must be a time that exists")
  .meta({
    description: "A time of day, `HH:MM` of 24 hours in the business's time zone.",
    examples: ["10:30"],
  });

/** A phone number as it is stored and returned: digits only, country code first. */
export const phoneDigits = z
  .string()
  .regex(/^\d+$/)
  .meta({ description: "Digits only, with the country code.", examples: ["919800000001"] });

/** A phone number as a request may send it: 8 to 20 digits in at most 20 characters, a leading + not counted. */
export const phone = text(textRules.phone).meta({
  description: `Phone number with the country code: ${limits.phoneDigits.min} to ${limits.phoneDigits.max} digits in at most ${limits.phoneDigits.max} characters. Spaces, dashes, brackets and a leading + (not counted) are allowed; stored as digits.`,
  maxLength: limits.phoneDigits.max + 1,
  not: { pattern: "^[^+].{20}$" }, // only a leading + may be the 21st character
  examples: ["+91 98000 00001"],
});

/** A customer's name: 1 to 120 code points of well-formed Unicode, kept exactly as sent. */
export const customerName = text(textRules.customerName).meta({
  description: `The customer's name, ${limits.nameLength.min} to ${limits.nameLength.max} characters.`,
  minLength: limits.nameLength.min,
  maxLength: limits.nameLength.max,
  examples: ["Customer 1"],
});

/** The key under which a creation happens at most once. */
export const idempotencyKey = text(textRules.idempotencyKey).meta({
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
      .min(limits.pageSize.min, pageSizeMessages.tooSmall)
      .max(limits.pageSize.max, pageSizeMessages.tooLarge),
  )
  .default(limits.pageSize.default)
  .meta({ description: "Items per page.", examples: [50] }) as unknown as z.ZodType<
  number,
  number | undefined
>;

/** A choice of words, in a request. */
export const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, { error: `must be one of ${words.join(", ")}` });
