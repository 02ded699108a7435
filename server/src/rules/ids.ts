import { hashText, randomText, writeNumber } from "./base62.js";
import type { Random } from "./ports.js";

/**
 * A new identifier: 8 characters of time, so that ids made at the same time are adjacent in an index, and 16
 * random characters (95 bits), so that ids cannot be guessed.
 */
export function newId(now: number, random: Random): string {
  return writeNumber(Math.max(0, Math.floor(now)), 8) + randomText(random, 16);
}

/**
 * The identifier of what a form makes, from the random id in the form: a form that is sent again makes the same
 * identifier, and no form makes one of another business.
 */
export function idOfForm(businessId: string, formId: string): string {
  return hashText(`${businessId} ${formId}`, 24);
}

/** A random UUID, version 4. */
export function newUuid(random: Random): string {
  const hex = Buffer.from(random(16)).toString("hex");
  const variant = "89ab"[Number.parseInt(hex[16] ?? "0", 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
