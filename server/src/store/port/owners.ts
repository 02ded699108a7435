import type { Business, Owner, OwnerSession, PasswordLink } from "../../rules/records.js";
import type { SignInAdmission, SignInAttempt } from "../../rules/sign-in.js";

/** A change of an owner's password: the hashes before and after. */
interface PasswordChange {
  readonly from: string;
  readonly to: string;
}

/** The result of removing an account. */
export type RemoveAccountOutcome = "removed" | "not_found" | "last_owner";

/** The accounts of the owners who sign in to the dashboard. */
export interface AccountStore {
  /** In the order in which they were added. */
  list(businessId: string): Promise<readonly Owner[]>;
  /**
   * The accounts with an e-mail address in normal form, one in each business that has it, in the order in
   * which they were added.
   */
  byEmail(email: string): Promise<readonly Owner[]>;
  /**
   * Adds an account with a link to set a password. E-mail addresses are unique in a business. Accounts of
   * other businesses make no difference, so that nobody learns of them.
   */
  add(businessId: string, owner: Owner, link: PasswordLink): Promise<"added" | "email_taken">;
  /**
   * Removes an account with its sessions and its link. With `keepOwner`, the step refuses to remove an account
   * with the role `owner` if no other one that has a password would remain.
   */
  remove(
    businessId: string,
    ownerId: string,
    options: { readonly keepOwner: boolean },
  ): Promise<RemoveAccountOutcome>;
  /** Gives an owner a new link and invalidates the previous one. False if the business has no such owner. */
  replacePasswordLink(businessId: string, ownerId: string, link: PasswordLink): Promise<boolean>;
  /**
   * The owner whose password a link sets; null if the link was used or has expired. Does not use the link.
   */
  byPasswordLink(linkTokenHash: string): Promise<Owner | null>;
  /**
   * Uses a link: sets the password of its owner and ends all their sessions. Returns the owner after the
   * change; null if the link was used or has expired.
   */
  setPassword(linkTokenHash: string, passwordHash: string): Promise<Owner | null>;
  /**
   * Changes the password of an owner, ends all their sessions, and invalidates their link if they have one.
   * Returns false and changes nothing if the business has no such owner or the previous hash does not match.
   */
  changePassword(businessId: string, ownerId: string, change: PasswordChange): Promise<boolean>;
}

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

/** The windows of failed sign-ins of owners. */
export interface SignInStore {
  /** Decides with `decideSignIn` and stores the windows that it returns. */
  admit(attempt: SignInAttempt): Promise<SignInAdmission>;
  /** Reverts the charge of a successful attempt; `chargedAt` is the time of its admission. */
  forgive(attempt: SignInAttempt, chargedAt: number): Promise<void>;
}
