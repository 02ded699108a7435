import { isAlive } from "./lifetime.js";
import type { Account, AccountSession } from "./records.js";
import type { WindowLimit } from "./window.js";

/** The duration of a session. Using the session does not extend it. */
export const sessionSeconds = 12 * 3600;

/** The maximum number of sessions of one account. Another one ends the oldest. */
export const maxSessions = 20;

/**
 * The changes that one session may make in the dashboard: five a second for a whole minute, which no hand
 * does.
 */
export const sessionChangeLimit: WindowLimit = { name: "changes", limit: 300, seconds: 60 };

/** A new session that begins now. */
export function newAccountSession(
  { id: accountId, businessId }: Account,
  tokenHash: string,
  now: number,
): AccountSession {
  return {
    tokenHash,
    accountId,
    businessId,
    createdAt: now,
    expiresAt: now + sessionSeconds * 1000,
  };
}

/** Whether a session has not expired. */
export function isRunning({ expiresAt }: Pick<AccountSession, "expiresAt">, now: number): boolean {
  return isAlive(expiresAt, now, sessionSeconds * 1000);
}
