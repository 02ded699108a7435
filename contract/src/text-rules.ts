import { limits } from "./limits.js";

/*
 * The rules for texts in a request, without a schema library. `formats.ts` builds schemas from them, and a
 * client checks its arguments with them before it sends a request.
 */

/** One condition on a text, and the message when it fails. The message never repeats the text. */
export interface TextRule {
  readonly holds: (text: string) => boolean;
  readonly message: string;
  /** The pattern, if the condition is one. Schemas include it. */
  readonly pattern?: RegExp;
}

/** The message for a missing value. */
export const missingMessage = "is required";

/** The message for a value that is not a string. */
export const notTextMessage = "must be a string";

const { idLength, idempotencyKeyLength, nameLength, phoneDigits } = limits;

/** The message for a phone number that breaks any of its rules. */
const phoneMessage = `must be ${range(phoneDigits)} digits in at most ${phoneDigits.max} characters; spaces, dashes, brackets and a leading + (not counted) are allowed`;

const id = new RegExp(`^[a-zA-Z0-9]{${idLength.min},${idLength.max}}$`);
const idempotencyKey = new RegExp(
  `^[A-Za-z0-9_-]{${idempotencyKeyLength.min},${idempotencyKeyLength.max}}$`,
);
const digitsAmongSigns = new RegExp(
  `^\\+?[ ()-]*([0-9][ ()-]*){${phoneDigits.min},${phoneDigits.max}}$`,
);
const phoneCharacters = new RegExp(`^\\+?[0-9 ()-]{${phoneDigits.min},${phoneDigits.max}}$`);

/**
 * The conditions of each kind of text, in the order in which they are checked. The first that fails gives the
 * message.
 */
export const textRules = {
  id: [matches(id, `must be ${range(idLength)} letters and digits`)],
  cursor: [matches(id, "must be the nextCursor of an earlier page")],
  day: [
    matches(/^\d{4}-\d{2}-\d{2}$/, "must be a date like 2026-11-21"),
    { holds: isCalendarDay, message: "must be a day that exists" },
  ],
  phone: [
    // One pattern counts the digits and another the characters: no single pattern that all languages support
    // does both.
    matches(digitsAmongSigns, phoneMessage),
    { holds: (typed: string) => phoneCharacters.test(typed), message: phoneMessage },
  ],
  customerName: [
    {
      holds: isCustomerName,
      message: `must be ${range(nameLength)} characters of well-formed Unicode`,
    },
  ],
  idempotencyKey: [
    matches(idempotencyKey, `must be ${range(idempotencyKeyLength)} letters, digits, _ or -`),
  ],
} as const satisfies Record<string, readonly TextRule[]>;

/** The messages for an invalid page size. */
export const pageSizeMessages = {
  notWhole: "must be a whole number",
  tooSmall: `must be at least ${limits.pageSize.min}`,
  tooLarge: `must be at most ${limits.pageSize.max}`,
} as const;

function matches(pattern: RegExp, message: string) {
  return { holds: (text: string) => pattern.test(text), message, pattern };
}

function range({ min, max }: { readonly min: number; readonly max: number }): string {
  return `${min} to ${max}`;
}

/** Whether the calendar has the day `YYYY-MM-DD`. */
export function isCalendarDay(day: string): boolean {
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  const real = new Date(0);
  real.setUTCFullYear(year, month - 1, date); // Date.UTC reads the years 0 to 99 as 1900 to 1999
  return real.getUTCMonth() === month - 1 && real.getUTCDate() === date;
}

/** The digits of a phone number that a person typed. */
export function digitsOf(phone: string): string {
  return phone.replace(/\D/g, "");
}

function isCustomerName(name: string): boolean {
  if (!name.isWellFormed()) return false;
  const { min, max } = nameLength;
  if (name.length > 2 * max) return false; // avoids spreading a very long name to count it
  const length = [...name].length;
  return length >= min && length <= max;
}
