import { z } from "zod";

/** A whole number in a range, both ends included. */
export function wholeNumber(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .number({ error: ({ input }) => (input === undefined ? "is required" : error) })
    .refine((value) => Number.isInteger(value) && value >= min && value <= max, error);
}

/** The whole number that a text is, of at most 15 digits; NaN for any other text. */
export function readWholeNumber(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}
