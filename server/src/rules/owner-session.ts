import type { Owner, OwnerSession } from "./records.js";

/** How long a session lasts, however much it is used. */
export const sessionSeconds = 12 * 3600;

/** Sessions that one owner has at once; one more ends the oldest. */
export const mostSessions = 20;

/** A session that begins now. */
export function newOwnerSession(
  { id: ownerId, businessId }: Owner,
  tokenHash: string,
  now: number,
): OwnerSession {
  return { tokenHash, ownerId, businessId, createdAt: now, expiresAt: now + sessionSeconds * 1000 };
}

/** Whether a session has not ended by itself. */
export function isRunning({ expiresAt }: Pick<OwnerSession, "expiresAt">, now: number): boolean {
  return now < expiresAt;
}
