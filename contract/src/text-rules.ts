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

/** The one thing that is said of a phone number, whichever of its rules it breaks. */
const phoneMessage =
  "must be 8 to 20 digits in at most 20 characters; spaces, dashes, brackets and a leading + (not counted) are allowed";

/** For each kind of text its conditions, in the order in which they are asked; the first that fails is told. */
export const textRules = {
  id: [matches(/^[a-zA-Z0-9]{20,32}$/, "must be 20 to 32 letters and digits")],
  cursor: [matches(/^[a-zA-Z0-9]{20,32}$/, "must be the nextCursor of an earlier page")],
  day: [
    matches(/^\d{4}-\d{2}-\d{2}$/, "must be a date like 2026-11-21"),
    { holds: isCalendarDay, message: "must be a day that exists" },
  ],
  phone: [
    // The digits are counted by one pattern, the characters by another: no pattern that all languages know does both.
    matches(/^\+?[ ()-]*([0-9][ ()-]*){8,20}$/, phoneMessage),
    { holds: (typed: string) => /^\+?[0-9 ()-]{8,20}$/.test(typed), message: phoneMessage },
  ],
  customerName: [
    {
      holds: isCustomerName,
      message: `must be ${limits.nameLength.min} to ${limits.nameLength.max} characters of well-formed Unicode`,
    },
  ],
  idempotencyKey: [matches(/^[A-Za-z0-9_-]{8,64}$/, "must be 8 to 64 letters, digits, _ or -")],
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
  const { min, max } = limits.nameLength;
  if (name.length > 2 * max) return false; // so that a long body is not spread out to be counted
  const length = [...name].length;
  return length >= min && length <= max;
}
