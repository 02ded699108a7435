import { limits } from "@queue-api/contract/limits";
import { isActive } from "./key.js";
import type { ApiKey } from "./records.js";

/** Whether a business with these keys may have one more active key. */
export function isBelowKeyLimit(
  keys: readonly Pick<ApiKey, "revokedAt" | "expiresAt">[],
  now: number,
): boolean {
  return keys.filter((key) => isActive(key, now)).length < limits.activeKeys;
}

/** The number of revoked and expired keys that a business keeps for its owners to look up. */
const mostEndedKeys = 100;

/** The ids of the keys to remove when one is added: those that have ended, but for the newest ones. */
export function forgottenKeys(
  keys: readonly Pick<ApiKey, "id" | "createdAt" | "revokedAt" | "expiresAt">[],
  now: number,
): string[] {
  const ended = keys.filter((key) => !isActive(key, now));
  const newestFirst = ended.sort((a, b) => b.createdAt - a.createdAt);
  return newestFirst.slice(mostEndedKeys).map(({ id }) => id);
}
