import { textRules } from "@queue-api/contract";
import type { KeySource } from "./options.js";
import { follows, isObject } from "./problem.js";

const isKey = follows(textRules.idempotencyKey);

/** The problem of an idempotency key; null if it is valid. */
export function keyProblem(given: unknown): string | null {
  if (!isObject(given)) return isKey(given);
  const { from, ...others } = given;
  if (Object.keys(others).length > 0) return "must be a text, or { from: text } and nothing else";
  const isText = typeof from === "string" && from !== "" && from.isWellFormed();
  return isText ? null : "must be made from a text that is not empty";
}

/** The given key, or the key derived from a text: its SHA-256 in hexadecimal. */
export async function keyOf(given: string | KeySource): Promise<string> {
  if (typeof given === "string") return given;
  const bytes = new TextEncoder().encode(given.from);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
