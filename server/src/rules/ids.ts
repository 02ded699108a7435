import { hash } from "node:crypto";
import type { Random } from "./ports.js";

/** The letters and digits of ids, in the order of their values. */
export const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Random letters and digits, each equally likely. */
export function randomText(random: Random, length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of random(length - text.length + 8)) {
      // 248 = 4 × 62: each character is equally likely
      if (byte < 248 && text.length < length) text += alphabet[byte % 62];
    }
  }
  return text;
}

/**
 * A new identifier: 8 characters of time, so that ids made at the same time are adjacent in an index, and 16
 * random characters (95 bits), so that ids cannot be guessed.
 */
export function newId(now: number, random: Random): string {
  let time = "";
  for (let rest = Math.max(0, Math.floor(now)), i = 0; i < 8; i++, rest = Math.floor(rest / 62)) {
    time = alphabet[rest % 62] + time;
  }
  return time + randomText(random, 16);
}

/**
 * The identifier of what a form makes, from the random id in the form: a form that is sent again makes the same
 * identifier, and no form makes one of another business.
 */
export function idOfForm(businessId: string, formId: string): string {
  const digest = hash("sha512", `${businessId} ${formId}`, "buffer");
  return randomText((bytes) => digest.subarray(0, bytes), 24);
}

/** A random UUID, version 4. */
export function newUuid(random: Random): string {
  const hex = Buffer.from(random(16)).toString("hex");
  const variant = "89ab"[Number.parseInt(hex[16] ?? "0", 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
