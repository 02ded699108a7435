import { limits } from "@queue-api/contract/limits";
import { ownerSignInLimit } from "../rules/sign-in.js";

const day = 86_400_000;

/** How long an import may take from one part to the next, and to its commit. */
const importMs = 3_600_000;

/** The error of an import that goes on although it was not begun, or `prune` removed its records since. */
export function importTooLate(): Error {
  return new Error("the import paused for too long, and its records were removed: import again");
}

/**
 * The maximum number of records of each kind that one call of `prune` removes, so that other steps do not
 * wait long for it.
 */
export const pruneStep = 2_000;

/** The times that records expire by. */
export interface Retention {
  readonly auditBefore: number;
  readonly signInWindowUntil: number;
  readonly ownerSignInWindowUntil: number;
  readonly importUntil: number;
}

/**
 * What is expired at `now`: audit rows older than the returned time, and windows that began at the returned
 * time or earlier, and imports whose last part was stored at the returned time or earlier.
 */
export function retention(now: number): Retention {
  return {
    auditBefore: now - limits.auditRetentionDays * day,
    signInWindowUntil: now - limits.failedSignInWindowSeconds * 1000,
    ownerSignInWindowUntil: now - ownerSignInLimit.seconds * 1000,
    importUntil: now - importMs,
  };
}
