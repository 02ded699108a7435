import { hash } from "node:crypto";
import { limits } from "@queue-api/contract/limits";
import type { EntryKey, Receipt } from "./records.js";

/** The idempotency key of a request, and what identifies the request. */
export interface KeyedRequest {
  readonly key: string;
  readonly fingerprint: string;
}

/** The response to a request whose key was used before. */
export type KeyedOutcome =
  /** The same request succeeded earlier; this is its receipt. */
  | { readonly outcome: "replay"; readonly receipt: Receipt }
  /** Another request used the key. */
  | { readonly outcome: "reused" };

/**
 * What a request with a key gets if an entry holds that key, or null if the key is free. `expiry` is the time
 * that expires records; see `store/clock.ts`.
 */
export function decideKeyed(
  request: KeyedRequest,
  found: EntryKey | null,
  expiry: number,
): KeyedOutcome | null {
  if (!found || expiry >= found.keptUntil) return null;
  if (found.fingerprint !== request.fingerprint) return { outcome: "reused" };
  return { outcome: "replay", receipt: found.receipt };
}

/**
 * The key of a request that succeeds now, as its entry holds it. `now` is the clock's time and not that which expires
 * records: behind a clock that was just corrected, a key would be kept for less than its time.
 */
export function entryKey(request: KeyedRequest, receipt: Receipt, now: number): EntryKey {
  const { key, fingerprint } = request;
  return { key, fingerprint, receipt, keptUntil: now + limits.idempotencyHours * 3_600_000 };
}

/** A hash of what identifies a request: method, route, path parameters and parsed body. */
export function fingerprint(
  method: string,
  route: string,
  params: Readonly<Record<string, string>>,
  body: unknown,
): string {
  const request = JSON.stringify([method, route, params, body], sortedFields);
  return hash("sha256", request, "base64url");
}

/** Makes JSON that does not depend on the order of fields. */
export function sortedFields(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
