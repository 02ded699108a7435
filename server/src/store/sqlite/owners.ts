import { isRunning, mostSessions } from "../../rules/owner-session.js";
import { isUsable } from "../../rules/password-link.js";
import type { Clock } from "../../rules/ports.js";
import type { Owner, PasswordLink } from "../../rules/records.js";
import { decideSignIn, forgiven, ownerSignInLimit, signInWindowsOf } from "../../rules/sign-in.js";
import type { ImportedAccount } from "../port/imports.js";
import type { AccountStore, SessionStore, SignedIn, SignInStore } from "../port/owners.js";
import type { Connection } from "./connection.js";
import { businesses, noLink, type OwnerLink, ownerColumns, owners, sessions } from "./schema.js";
import type { Steps } from "./steps.js";
import { prepareWindows } from "./windows.js";

/** The accounts of owners, with the links by which they set a password. */
export function prepareAccounts(db: Connection, clock: Clock): Accounts {
  const list = owners.ofBusiness(db, "created_at, id");
  const findByEmail = owners.list<Owner>(
    db,
    "WHERE email = ? ORDER BY created_at, id LIMIT -1",
    ownerColumns,
  );
  const { find, change } = owners.owned(db);
  const findByLink = owners.find(db, "link_hash = ?");
  const remove = db.command("DELETE FROM owners WHERE id = ?");
  const endSessions = db.command("DELETE FROM owner_sessions WHERE owner_id = ?");
  const insert = owners.insert(db, "ON CONFLICT (business_id, email) DO NOTHING");

  function withLink(linkTokenHash: string): (Owner & OwnerLink) | null {
    const owner = findByLink(linkTokenHash);
    const expiresAt = owner?.linkExpiresAt ?? 0;
    return owner && isUsable({ expiresAt }, clock()) ? owner : null;
  }

  function setPassword({ businessId, id }: Owner, passwordHash: string): Owner | null {
    const after = change(businessId, id, { passwordHash, ...noLink });
    endSessions(id);
    return after && withoutLink(after);
  }

  const keep: Accounts["keep"] = ({ owner, link }) => insert({ ...owner, ...linkOf(link) });

  return {
    keep,
    withLinks: (businessId) => list(businessId).map(accountOf),

    list: (businessId) => list(businessId).map(withoutLink),
    byEmail: (email) => findByEmail(email),

    add: (_, owner, link) => (keep({ owner, link }) ? "added" : "email_taken"),

    remove(businessId, ownerId, { keepOwner }) {
      const owner = find(businessId, ownerId);
      if (!owner) return "not_found";
      const others = list(businessId).filter(({ id }) => id !== ownerId);
      const remains = others.some(({ role, passwordHash }) => role === "owner" && passwordHash);
      if (keepOwner && owner.role === "owner" && !remains) return "last_owner";
      remove(ownerId);
      endSessions(ownerId);
      return "removed";
    },

    replacePasswordLink: (businessId, ownerId, link) =>
      change(businessId, ownerId, linkOf(link)) !== null,

    byPasswordLink(linkTokenHash) {
      const owner = withLink(linkTokenHash);
      return owner && withoutLink(owner);
    },

    setPassword(linkTokenHash, passwordHash) {
      const owner = withLink(linkTokenHash);
      return owner && setPassword(owner, passwordHash);
    },

    changePassword(businessId, ownerId, { from, to }) {
      const owner = find(businessId, ownerId);
      if (owner?.passwordHash !== from) return false;
      setPassword(owner, to);
      return true;
    },
  };
}

/** The accounts, and what imports need of them. */
export interface Accounts extends Steps<AccountStore> {
  /** Stores an account that an import brings. */
  keep(account: ImportedAccount): boolean;
  /** The accounts of a business with their links. */
  withLinks(businessId: string): ImportedAccount[];
}

function linkOf(link: PasswordLink | null): OwnerLink {
  return link ? { linkHash: link.tokenHash, linkExpiresAt: link.expiresAt } : noLink;
}

function accountOf({ linkHash, linkExpiresAt, ...owner }: Owner & OwnerLink): ImportedAccount {
  if (linkHash === null || linkExpiresAt === null) return { owner, link: null };
  return { owner, link: { tokenHash: linkHash, ownerId: owner.id, expiresAt: linkExpiresAt } };
}

const withoutLink = (row: Owner & OwnerLink): Owner => accountOf(row).owner;

/** The sessions of owners. */
export function prepareSessions(db: Connection, clock: Clock): Steps<SessionStore> {
  const holdsPassword = owners.find(db, "id = ? AND business_id = ? AND password_hash = ?");
  const insert = sessions.insert(db);
  const endOldest = db.command(`
    DELETE FROM owner_sessions WHERE owner_id = ?1 AND position NOT IN
      (SELECT position FROM owner_sessions WHERE owner_id = ?1
       ORDER BY position DESC LIMIT ${mostSessions})`);
  const find = db.query<SignedIn>(`
    SELECT json_object('owner', ${owners.json("o", ownerColumns)},
      'business', ${businesses.json("b")}, 'expiresAt', s.expires_at)
    FROM owner_sessions s
    JOIN owners o ON o.id = s.owner_id
    JOIN businesses b ON b.id = o.business_id
    WHERE s.token_hash = ?`);
  const end = db.command("DELETE FROM owner_sessions WHERE token_hash = ?");
  const endAll = db.command("DELETE FROM owner_sessions WHERE owner_id = ? AND business_id = ?");

  return {
    start(businessId, session, passwordHash) {
      if (!holdsPassword(session.ownerId, businessId, passwordHash)) return false;
      insert(session);
      endOldest(session.ownerId);
      return true;
    },

    get(tokenHash) {
      const found = find(tokenHash);
      return found && isRunning(found, clock()) ? found : null;
    },

    end(tokenHash) {
      end(tokenHash);
    },

    endAll(businessId, ownerId) {
      endAll(ownerId, businessId);
    },
  };
}

/** The windows of failed sign-ins of owners. */
export function prepareSignIns(db: Connection, clock: Clock): Steps<SignInStore> {
  const windows = prepareWindows(db, ownerSignInLimit.seconds);

  return {
    admit(attempt) {
      const names = signInWindowsOf(attempt);
      const found = { address: windows.get(names.address), email: windows.get(names.email) };
      const { admission, address, email } = decideSignIn(found, clock());
      if (address) windows.keep(names.address, address);
      if (email) windows.keep(names.email, email);
      return admission;
    },

    forgive(attempt, chargedAt) {
      for (const name of Object.values(signInWindowsOf(attempt))) {
        const window = windows.get(name);
        if (window) windows.keep(name, forgiven(window, chargedAt));
      }
    },
  };
}
