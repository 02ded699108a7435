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
