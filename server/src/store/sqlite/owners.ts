import { isRunning, mostSessions } from "../../rules/owner-session.js";
import { provesOwner, withPassword } from "../../rules/password-link.js";
import type { Clock } from "../../rules/ports.js";
import type { Owner } from "../../rules/records.js";
import { decideSignIn, forgiven, ownerSignInLimit, signInWindowsOf } from "../../rules/sign-in.js";
import type { AccountStore, SessionStore, SignedIn, SignInStore } from "../port/owners.js";
import type { Connection } from "./connection.js";
import { businesses, owners, sessions } from "./schema.js";
import type { Steps } from "./steps.js";
import { prepareWindows } from "./windows.js";

/** The accounts of owners. */
export function prepareAccounts(db: Connection, clock: Clock): Steps<AccountStore> {
  const list = owners.ofBusiness(db, "created_at, id");
  const findByEmail = owners.list<Owner>(db, "WHERE email = ? ORDER BY created_at, id LIMIT -1");
  const { find, change } = owners.owned(db);
  const findByLink = owners.find(db, "link IS NOT NULL AND link ->> 'tokenHash' = ?");
  const remove = db.command("DELETE FROM owners WHERE id = ?");
  const endSessions = db.command("DELETE FROM owner_sessions WHERE owner_id = ?");
  const insert = owners.insert(db, "ON CONFLICT (business_id, email) DO NOTHING");

  const isLastOwner = (businessId: string, owner: Owner) =>
    owner.role === "owner" &&
    !list(businessId).some(
      ({ id, role, passwordHash }) => id !== owner.id && role === "owner" && passwordHash,
    );

  return {
    list,
    byEmail: (email) => findByEmail(email),

    byPasswordLink(linkTokenHash) {
      const owner = findByLink(linkTokenHash);
      return owner && provesOwner(owner, { linkTokenHash }, clock()) ? owner : null;
    },

    add: (_, owner) => (insert(owner) ? "added" : "email_taken"),

    changeRole(businessId, ownerId, role) {
      const owner = find(businessId, ownerId);
      if (!owner) return "not_found";
      if (role !== "owner" && isLastOwner(businessId, owner)) return "last_owner";
      change(businessId, ownerId, { role });
      return "changed";
    },

    remove(businessId, ownerId, { keepOwner }) {
      const owner = find(businessId, ownerId);
      if (!owner) return "not_found";
      if (keepOwner && isLastOwner(businessId, owner)) return "last_owner";
      remove(ownerId);
      endSessions(ownerId);
      return "removed";
    },

    replacePasswordLink: (businessId, ownerId, link) =>
      change(businessId, ownerId, { link }) !== null,

    setPassword(businessId, ownerId, passwordHash, proof) {
      const owner = find(businessId, ownerId);
      if (!owner || !provesOwner(owner, proof, clock())) return null;
      endSessions(ownerId);
      return change(businessId, ownerId, withPassword(owner, passwordHash));
    },
  };
}

/** The sessions of owners. */
export function prepareSessions(db: Connection, clock: Clock): Steps<SessionStore> {
  const holdsPassword = owners.find(db, "id = ? AND business_id = ? AND password_hash = ?");
  const insert = sessions.insert(db);
  const endOldest = db.command(`
    DELETE FROM owner_sessions WHERE owner_id = ?1 AND position NOT IN
      (SELECT position FROM owner_sessions WHERE owner_id = ?1
       ORDER BY position DESC LIMIT ${mostSessions})`);
  const find = db.query<SignedIn>(`
    SELECT json_object('owner', ${owners.json("o")},
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
