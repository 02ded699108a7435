import type { Business, Owner, OwnerSession } from "../../rules/records.js";

/** The owner of a session, and their business. */
export interface SignedIn {
  readonly owner: Owner;
  readonly business: Business;
  /** When the session expires. */
  readonly expiresAt: number;
}

/** The sessions of owners in the dashboard. */
export interface SessionStore {
  /**
   * Begins a session for an owner whose password was verified. If the owner then has too many sessions, ends
   * the oldest. Returns false and changes nothing if the business has no such owner or the password hash does
   * not match.
   */
  start(businessId: string, session: OwnerSession, passwordHash: string): Promise<boolean>;
  /** Reads a session in one round trip; null if it has ended. */
  get(tokenHash: string): Promise<SignedIn | null>;
  end(tokenHash: string): Promise<void>;
  /** Ends all sessions of an owner. */
  endAll(businessId: string, ownerId: string): Promise<void>;
}
