import { byCreation } from "../rules/order.js";
import { acceptsProof, type PasswordProof, withPassword } from "../rules/password-link.js";
import type { Account, AccountRole, PasswordLink } from "../rules/records.js";
import type { Reads, Tx } from "../store/port.js";
import type { Stored } from "../store/tables.js";
import { change, view } from "./operation.js";

/** All accounts of a business are in one record, which this number keeps small. */
export const maxAccounts = 200;

/** The accounts that sign in to the dashboard. They are a list in the record of their business. */
export const accounts = {
  /** In the order in which they were added. */
  list: view(async (tx, businessId: string): Promise<readonly Account[]> => {
    const business = await tx.find("businesses", { id: businessId });
    return (business?.accounts ?? []).toSorted(byCreation);
  }),

  /**
   * The accounts with an e-mail address in normal form, one in each business that has it, in the order in which they
   * were added.
   */
  byEmail: view(async (tx, email: string): Promise<readonly Account[]> => {
    const where = { "accounts.email": email };
    const found = await tx.list("businesses", { where, limit: maxBusinessesWithEmail });
    const own = found.flatMap(({ accounts }) => accounts.filter((one) => one.email === email));
    return own.sort(byCreation);
  }),

  /** The account whose password a link sets; null if the link was used or has expired. Does not use the link. */
  byPasswordLink: view(async (tx, linkTokenHash: string): Promise<Account | null> => {
    const business = await tx.find("businesses", { "accounts.link.tokenHash": linkTokenHash });
    const proof = { linkTokenHash };
    return business?.accounts.find((one) => acceptsProof(one, proof, tx.now)) ?? null;
  }),

  /**
   * Adds an account. E-mail addresses are unique in a business. Accounts of other businesses make no difference, so
   * that nobody learns of them.
   */
  add: change(
    async (
      tx,
      businessId: string,
      account: Account,
    ): Promise<"added" | "email_taken" | "too_many_accounts"> => {
      const business = await tx.find("businesses", { id: businessId });
      if (!business) throw new Error("an account is added to a business that does not exist");
      if (business.accounts.some(({ email }) => email === account.email)) return "email_taken";
      if (business.accounts.length >= maxAccounts) return "too_many_accounts";
      tx.update("businesses", business, { accounts: [...business.accounts, account] });
      return "added";
    },
  ),

  /**
   * Removes an account, which ends its sessions. With `keepOwner`, an account with the role `owner` stays if no other
   * one that has a password would remain.
   */
  remove: change(
    async (
      tx,
      businessId: string,
      accountId: string,
      { keepOwner }: { readonly keepOwner: boolean },
    ): Promise<"removed" | "not_found" | "last_owner"> => {
      const found = await findAccount(tx, businessId, accountId);
      if (!found) return "not_found";
      if (keepOwner && isLastOwner(found)) return "last_owner";
      const others = found.business.accounts.filter(({ id }) => id !== accountId);
      tx.update("businesses", found.business, { accounts: others });
      return "removed";
    },
  ),

  /**
   * Changes the role of an account, from its next request on. `last_owner`: no other account with the role `owner` that
   * has a password would remain, so nothing is changed.
   */
  changeRole: change(
    async (
      tx,
      businessId: string,
      accountId: string,
      role: AccountRole,
    ): Promise<"changed" | "not_found" | "last_owner"> => {
      const found = await findAccount(tx, businessId, accountId);
      if (!found) return "not_found";
      if (role !== "owner" && isLastOwner(found)) return "last_owner";
      keepAccount(tx, found.business, { ...found.account, role });
      return "changed";
    },
  ),

  /**
   * Gives an account a new link and invalidates the previous one. `replaces`: the hash of the link that it may replace,
   * null for none; otherwise `link_changed`, and nothing changes. Default: any.
   */
  replacePasswordLink: change(
    async (
      tx,
      businessId: string,
      accountId: string,
      link: PasswordLink,
      replaces?: string | null,
    ): Promise<"replaced" | "account_not_found" | "link_changed"> => {
      const found = await findAccount(tx, businessId, accountId);
      if (!found) return "account_not_found";
      const current = found.account.link?.tokenHash ?? null;
      if (replaces !== undefined && replaces !== current) return "link_changed";
      keepAccount(tx, found.business, { ...found.account, link });
      return "replaced";
    },
  ),

  /**
   * Sets the password of an account with `withPassword`, and ends all its sessions. Null if the business has no such
   * account, or `acceptsProof` refuses the proof; then nothing changes.
   */
  setPassword: change(
    async (
      tx,
      businessId: string,
      accountId: string,
      passwordHash: string,
      proof: PasswordProof,
    ): Promise<Account | null> => {
      const found = await findAccount(tx, businessId, accountId);
      if (!found || !acceptsProof(found.account, proof, tx.now)) return null;
      const account = withPassword(found.account, passwordHash);
      keepAccount(tx, found.business, account);
      return account;
    },
  ),
};

/** Far more than the businesses that one person works for. */
const maxBusinessesWithEmail = 1_000;

/** An account and its business. */
interface FoundAccount {
  readonly business: Stored<"businesses">;
  readonly account: Account;
}

/** Whether an account has the role `owner`, and no other one that has a password does. */
function isLastOwner({ business, account }: FoundAccount): boolean {
  const remains = ({ id, role, passwordHash }: Account) =>
    id !== account.id && role === "owner" && passwordHash !== null;
  return account.role === "owner" && !business.accounts.some(remains);
}

/** Null if the business has no such account. */
export async function findAccount(
  tx: Reads,
  businessId: string,
  accountId: string,
): Promise<FoundAccount | null> {
  const business = await tx.find("businesses", { id: businessId });
  const account = business?.accounts.find(({ id }) => id === accountId);
  return business && account ? { business, account } : null;
}

/** Writes a business with one account changed. */
export function keepAccount(tx: Tx, business: Stored<"businesses">, account: Account): void {
  const all = business.accounts.map((one) => (one.id === account.id ? account : one));
  tx.update("businesses", business, { accounts: all });
}
