import type { Store } from "../operations/store.js";
import { normalEmail } from "../rules/email.js";
import { newId } from "../rules/ids.js";
import { hashSecret, newSecret } from "../rules/key.js";
import { newPasswordLink } from "../rules/password-link.js";
import type { Account, AccountRole, Business } from "../rules/records.js";
import { findBusiness } from "./business.js";
import type { CreationContext } from "./creation-context.js";
import { OwnerError } from "./owner-error.js";

/** An account with a new link, and the only copy of its token. */
export interface Invitation {
  readonly account: Account;
  /** The token of the link that sets the password of the account. Show it once and do not store it. */
  readonly token: string;
  readonly expiresAt: number;
}

/** Names an account for the operator. */
export interface AccountName {
  readonly email: string;
  /** Slug of the business. Default: the only one that has an account with the e-mail address. */
  readonly business?: string | undefined;
}

/**
 * Adds an account to a business. The token of the returned link sets its password. `role`: default owner.
 *
 * @throws OwnerError if the business does not exist, the e-mail address is invalid or has an account, or the
 * business has the maximum number of accounts.
 */
export async function addAccount(
  store: Store,
  slug: string,
  email: string,
  context: CreationContext,
  role: AccountRole = "owner",
): Promise<Invitation> {
  return inviteTo(store, await findBusiness(store, slug), email, role, context);
}

/** Like {@link addAccount}, for a business that was already read. Throws {@link OwnerError}. */
export async function inviteTo(
  store: Store,
  business: Business,
  email: string,
  role: AccountRole,
  { now, random }: CreationContext,
): Promise<Invitation> {
  const { token, link } = makeLink({ now, random });
  const account: Account = {
    id: newId(now, random),
    businessId: business.id,
    email: checkedEmail(email),
    passwordHash: null,
    link,
    role,
    createdAt: now,
    generation: 0,
  };
  const outcome = await store.accounts.add(business.id, account);
  if (outcome !== "added") throw new OwnerError({ code: outcome });
  return { account, token, expiresAt: link.expiresAt };
}

/** Gives an account a new link, which replaces an earlier one. Throws {@link OwnerError}. */
export async function renewPasswordLink(
  store: Store,
  name: AccountName,
  context: CreationContext,
): Promise<Invitation> {
  return renewLinkOf(store, await findAccount(store, name), context);
}

/**
 * Like {@link renewPasswordLink}, for an account that was already read. `replaces`: the hash of the link that it may
 * replace, null for none. Default: any. Throws {@link OwnerError} if the account has another link or no longer exists.
 */
export async function renewLinkOf(
  store: Store,
  account: Account,
  context: CreationContext,
  replaces?: string | null,
): Promise<Invitation> {
  const { businessId, id } = account;
  const { token, link } = makeLink(context);
  const outcome = await store.accounts.replacePasswordLink(businessId, id, link, replaces);
  if (outcome !== "replaced") throw new OwnerError({ code: outcome });
  return { account: { ...account, link }, token, expiresAt: link.expiresAt };
}

/** Removes an account and ends its sessions. Throws {@link OwnerError} if it does not exist. */
export async function removeAccount(store: Store, name: AccountName): Promise<Account> {
  const account = await findAccount(store, name);
  const outcome = await store.accounts.remove(account.businessId, account.id, { keepOwner: false });
  if (outcome !== "removed") throw noSuchAccount();
  return account;
}

async function findAccount(store: Store, { email, business }: AccountName): Promise<Account> {
  const named = business === undefined ? null : await findBusiness(store, business);
  const found = (await store.accounts.byEmail(checkedEmail(email))).filter(
    ({ businessId }) => named === null || businessId === named.id,
  );
  if (found.length > 1) throw new OwnerError({ code: "email_ambiguous" });
  if (!found[0]) throw noSuchAccount();
  return found[0];
}

function noSuchAccount(): OwnerError {
  return new OwnerError({ code: "account_not_found" });
}

function checkedEmail(text: string): string {
  const email = normalEmail(text);
  if (email === null) throw new OwnerError({ code: "email_invalid" });
  return email;
}

function makeLink({ now, random }: CreationContext) {
  const token = newSecret(random);
  return { token, link: newPasswordLink(hashSecret(token), now) };
}
