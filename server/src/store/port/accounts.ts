import type { Owner, PasswordLink } from "../../rules/records.js";

/** An owner's password, as its hash, before and after they changed it. */
export interface PasswordChange {
  readonly from: string;
  readonly to: string;
}

/** The accounts of the owners who sign in to the dashboard. */
export interface AccountStore {
  /** In the order in which they were added. */
  list(businessId: string): Promise<readonly Owner[]>;
  /** The owner with an e-mail address in normal form, whatever the business. */
  byEmail(email: string): Promise<Owner | null>;
  /** Adds an owner, and the link by which to set a password. E-mail addresses are unique over all businesses. */
  add(businessId: string, owner: Owner, link: PasswordLink): Promise<"added" | "email_taken">;
  /** Removes an owner with their sessions and their link. False when the business has no such owner. */
  remove(businessId: string, ownerId: string): Promise<boolean>;
  /** Gives an owner a new link, which ends the one before. False when the business has no such owner. */
  replacePasswordLink(businessId: string, ownerId: string, link: PasswordLink): Promise<boolean>;
  /** The owner whose password a link sets; null when the link was used or has expired. Does not use it. */
  byPasswordLink(linkTokenHash: string): Promise<Owner | null>;
  /**
   * Uses a link: sets its owner's password and ends all their sessions. Returns the owner after the
   * change; null when the link was used or has expired.
   */
  setPassword(linkTokenHash: string, passwordHash: string): Promise<Owner | null>;
  /**
   * Changes the password of an owner, ends all their sessions, and their link if they have one. False, and
   * nothing changes, if the business has no such owner or the previous password is not the owner's.
   */
  changePassword(businessId: string, ownerId: string, change: PasswordChange): Promise<boolean>;
}
