import type { Owner, PasswordLink } from "../../rules/records.js";

/** A change of an owner's password: the hashes before and after. */
export interface PasswordChange {
  readonly from: string;
  readonly to: string;
}

/** The accounts of the owners who sign in to the dashboard. */
export interface AccountStore {
  /** In the order in which they were added. */
  list(businessId: string): Promise<readonly Owner[]>;
  /** The owner with an e-mail address in normal form, in any business. */
  byEmail(email: string): Promise<Owner | null>;
  /** Adds an owner with a link to set a password. E-mail addresses are unique across all businesses. */
  add(businessId: string, owner: Owner, link: PasswordLink): Promise<"added" | "email_taken">;
  /** Removes an owner with their sessions and their link. False if the business has no such owner. */
  remove(businessId: string, ownerId: string): Promise<boolean>;
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
