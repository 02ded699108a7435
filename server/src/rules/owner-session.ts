import type { Owner, OwnerSession } from "./records.js";
import type { WindowLimit } from "./window.js";

/** The duration of a session. Using the session does not extend it. */
export const sessionSeconds = 12 * 3600;

/** The maximum number of sessions of one owner. Another one ends the oldest. */
export const mostSessions = 20;

/**
 * The changes that one session may make in the dashboard: five a second for a whole minute, which no hand
 * does.
 */
export const sessionChangeLimit: WindowLimit = { name: "changes", limit: 300, seconds: 60 };

/** A new session that begins now. */
export function newOwnerSession(
  { id: ownerId, businessId }: Owner,
  tokenHash: string,
  now: number,
): OwnerSession {
  return { tokenHash, ownerId, businessId, createdAt: now, expiresAt: now + sessionSeconds * 1000 };
}

/** Whether a session has not expired. */
export function isRunning({ expiresAt }: Pick<OwnerSession, "expiresAt">, now: number): boolean {
  return now < expiresAt;
}
