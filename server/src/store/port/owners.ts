import type { PasswordProof } from "../../rules/password-link.js";
import type {
  AccountRole,
  Business,
  Owner,
  OwnerSession,
  PasswordLink,
} from "../../rules/records.js";
import type { SignInAdmission, SignInAttempt } from "../../rules/sign-in.js";

/** The result of removing an account. */
export type RemoveAccountOutcome = "removed" | "not_found" | "last_owner";

/** The result of changing the role of an account. */
export type ChangeRoleOutcome = "changed" | "not_found" | "last_owner";

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
   * Adds an account. E-mail addresses are unique in a business. Accounts of other businesses make no difference,
   * so that nobody learns of them.
   */
  add(businessId: string, owner: Owner): Promise<"added" | "email_taken">;
  /**
   * Removes an account with its sessions and its link. With `keepOwner`, the step refuses to remove an account
   * with the role `owner` if no other one that has a password would remain.
   */
  remove(
    businessId: string,
    ownerId: string,
    options: { readonly keepOwner: boolean },
  ): Promise<RemoveAccountOutcome>;
  /**
   * Changes the role of an account, from its next request on. `last_owner`: no other account with the role `owner` that
   * has a password would remain, so nothing is changed.
   */
  changeRole(businessId: string, ownerId: string, role: AccountRole): Promise<ChangeRoleOutcome>;
  /** Gives an owner a new link and invalidates the previous one. False if the business has no such owner. */
  replacePasswordLink(businessId: string, ownerId: string, link: PasswordLink): Promise<boolean>;
  /**
   * The owner whose password a link sets; null if the link was used or has expired. Does not use the link.
   */
  byPasswordLink(linkTokenHash: string): Promise<Owner | null>;
  /**
   * Sets the password of an owner with `withPassword`, and ends all their sessions. Returns the owner after the
   * change. Null if the business has no such owner, or `provesOwner` refuses the proof; then nothing changes.
   */
  setPassword(
    businessId: string,
    ownerId: string,
    passwordHash: string,
    proof: PasswordProof,
  ): Promise<Owner | null>;
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
