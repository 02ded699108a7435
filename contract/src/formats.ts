import { z } from "zod";
import { limits } from "./limits.js";
import {
  missingMessage,
  notTextMessage,
  pageSizeMessages,
  type TextRule,
  textRules,
} from "./text-rules.js";

/** A text in a request that follows these rules. If it is missing, the message is "is required". */
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

/** The start of the next page. Clients copy it from `nextCursor` and never build one. */
export const cursor = text(textRules.cursor).meta({
  description:
    "The `nextCursor` of the previous page. If the first page was requested with a `date`, send the same `date`. Without `date`, the page is for the cursor's day, so that a client can read a list to its end after midnight.",
  examples: ["01K2Q7M8Zb4nT6wXc9RvYd3F"],
});

/** An instant, ISO 8601 in UTC. */
export const timestamp = z.iso
  .datetime()
  .meta({ description: "ISO 8601 in UTC.", examples: ["2026-11-21T04:30:00.000Z"] });

/** A calendar day `YYYY-MM-DD` in the time zone of the business. The calendar must have this day. */
export const day = text(textRules.day).meta({
  description: "A calendar day, `YYYY-MM-DD` in the business's time zone.",
  format: "date",
  examples: ["2026-11-21"],
});

/** A time of day `HH:MM`, 24 hours, in the business's time zone. */
export const timeOfDay = z
  .string()
  .regex(/^\d{2}:\d{2}$/, { error: "must be a time like 09:30", abort: true })
  .refine((time) => time < "24:00" && time.slice(3) < "60", "must be a time that exists")
  .meta({
    description: "A time of day, `HH:MM` (24 hours) in the business's time zone.",
    examples: ["10:30"],
  });

/** A phone number as it is stored and returned: digits only, starting with the country code. */
export const phoneDigits = z
  .string()
  .regex(/^\d+$/)
  .meta({
    description: "Phone number as digits with the country code.",
    examples: ["919800000001"],
  });

/** A phone number in a request: 8 to 20 digits in at most 20 characters, not counting a leading +. */
export const phone = text(textRules.phone).meta({
  description: `Phone number with the country code: ${limits.phoneDigits.min} to ${limits.phoneDigits.max} digits in at most ${limits.phoneDigits.max} characters. Spaces, dashes, brackets and a leading + (not counted) are allowed. The service stores only the digits.`,
  maxLength: limits.phoneDigits.max + 1,
  not: { pattern: "^[^+].{20}$" }, // the 21st character is allowed only after a leading +
  examples: ["+91 98000 00001"],
});

/** A customer's name: 1 to 120 code points of well-formed Unicode, stored exactly as sent. */
export const customerName = text(textRules.customerName).meta({
  description: `The customer's name, ${limits.nameLength.min} to ${limits.nameLength.max} characters.`,
  minLength: limits.nameLength.min,
  maxLength: limits.nameLength.max,
  examples: ["Customer 1"],
});

/** The key of a creation. Requests with the same key create at most one entry. */
export const idempotencyKey = text(textRules.idempotencyKey).meta({
  description:
    "A value that is unique to this creation. A request with the same value returns the first result again.",
  examples: ["kiosk-7-2026-11-21-0042"],
});

/** The `limit` of a list. It arrives as text, and only plain digits are read as a number. */
export const pageLimit = z
  .preprocess(
    (value) =>
      typeof value === "string" && /^(0|[1-9]\d{0,8})$/.test(value) ? Number(value) : value,
    z
      .int({ error: pageSizeMessages.notWhole })
      .min(limits.pageSize.min, pageSizeMessages.tooSmall)
      .max(limits.pageSize.max, pageSizeMessages.tooLarge),
  )
  .default(limits.pageSize.default)
  .meta({ description: "Items per page.", examples: [50] }) as unknown as z.ZodType<
  number,
  number | undefined
>;

/** One of a fixed set of strings, in a request. */
export const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, { error: `must be one of ${words.join(", ")}` });
