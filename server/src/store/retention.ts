import { limits } from "@queue-api/contract/limits";
import { ownerSignInLimit } from "../rules/sign-in.js";

const day = 86_400_000;

/** Rows of each kind that one call of `prune` removes at most, so that no other step waits long for it. */
export const pruneStep = 2_000;

/** The instants before which a record is expired. */
export interface Retention {
  readonly auditBefore: number;
  readonly signInWindowUntil: number;
  readonly keyWindowUntil: number;
  readonly ownerSignInWindowUntil: number;
}

/** What is expired at this time: audit rows older than this, windows that began no later than this. */
export function retention(now: number): Retention {
  return {
    auditBefore: now - limits.auditRetentionDays * day,
    signInWindowUntil: now - limits.failedSignInWindowSeconds * 1000,
    keyWindowUntil: now - limits.keyWindowSeconds * 1000,
    ownerSignInWindowUntil: now - ownerSignInLimit.seconds * 1000,
  };
}
