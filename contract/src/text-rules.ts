import { limits } from "./limits.js";

/*
 * The rules for texts in a request, without a schema library: `formats.ts` makes the schemas of them,
 * and a client checks its arguments by them before it sends anything.
 */

/** One condition on a text, and what is said when it fails. The message never repeats the text. */
export interface TextRule {
  readonly holds: (text: string) => boolean;
  readonly message: string;
  /** Where the condition is a pattern: the pattern, for whoever describes it. */
  readonly pattern?: RegExp;
}

/** What is said of a value that is absent. */
export const missingMessage = "is required";

/** What is said of a value that is no text. */
export const notTextMessage = "must be a string";

const { idLength, idempotencyKeyLength, nameLength, phoneDigits } = limits;

/** The message for a phone number, whichever of its rules it breaks. */
const phoneMessage = `must be ${range(phoneDigits)} digits in at most ${phoneDigits.max} characters; spaces, dashes, brackets and a leading + (not counted) are allowed`;

const id = new RegExp(`^[a-zA-Z0-9]{${idLength.min},${idLength.max}}$`);
const idempotencyKey = new RegExp(
  `^[A-Za-z0-9_-]{${idempotencyKeyLength.min},${idempotencyKeyLength.max}}$`,
);
const digitsAmongSigns = new RegExp(
  `^\\+?[ ()-]*([0-9][ ()-]*){${phoneDigits.min},${phoneDigits.max}}$`,
);
const phoneCharacters = new RegExp(`^\\+?[0-9 ()-]{${phoneDigits.min},${phoneDigits.max}}$`);

/** For each kind of text its conditions, in the order in which they are asked; the first that fails is told. */
export const textRules = {
  id: [matches(id, `must be ${range(idLength)} letters and digits`)],
  cursor: [matches(id, "must be the nextCursor of an earlier page")],
  day: [
    matches(/^\d{4}-\d{2}-\d{2}$/, "must be a date like 2026-11-21"),
    { holds: isCalendarDay, message: "must be a day that exists" },
  ],
  phone: [
    // The digits are counted by one pattern, the characters by another: no pattern that all languages know does both.
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

/** What is said of a page size that is not one. */
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

/** Whether `YYYY-MM-DD` names a day that the calendar has. */
export function isCalendarDay(day: string): boolean {
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  const real = new Date(0);
  real.setUTCFullYear(year, month - 1, date); // Date.UTC would read the years 0 to 99 as 1900 to 1999
  return real.getUTCMonth() === month - 1 && real.getUTCDate() === date;
}

/** The digits of a phone number as a person types it. */
export function digitsOf(phone: string): string {
  return phone.replace(/\D/g, "");
}

function isCustomerName(name: string): boolean {
  if (!name.isWellFormed()) return false;
  const { min, max } = nameLength;
  if (name.length > 2 * max) return false; // so that a long body is not spread out to be counted
  const length = [...name].length;
  return length >= min && length <= max;
}
