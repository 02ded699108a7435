import { isRunning, mostSessions } from "../../rules/owner-session.js";
import { isUsable } from "../../rules/password-link.js";
import type { Clock } from "../../rules/ports.js";
import type { Owner, OwnerSession, PasswordLink } from "../../rules/records.js";
import {
  decideSignIn,
  forgiven,
  type SignInAdmission,
  type SignInAttempt,
  signInWindowsOf,
} from "../../rules/sign-in.js";
import type { Window } from "../../rules/window.js";
import type { PasswordChange, SignedIn } from "../store.js";
import type { Connection } from "./connection.js";
import { list } from "./list.js";
import {
  type BusinessRow,
  businessColumns,
  type OwnerRow,
  ownerColumns,
  readBusiness,
  readOwner,
} from "./records.js";

/** Owners with their links, sessions and windows of failed sign-ins. */
export function prepareAccounts(db: Connection, clock: Clock) {
  const findByEmail = db.query<OwnerRow>(
    `SELECT json_array(${ownerColumns("o")}) FROM owners o WHERE o.email = ?`,
  );
  const ownersOf = db.query<OwnerRow[]>(
    list(ownerColumns, "owners", "WHERE business_id = ? ORDER BY created_at, id LIMIT -1"),
  );
  const insert = db.command(`
    INSERT INTO owners (id, business_id, email, password_hash, created_at, link_hash, link_expires_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)`);
  const remove = db.command("DELETE FROM owners WHERE id = ? AND business_id = ?");
  const replaceLink = db.command(`
    UPDATE owners SET link_hash = ?, link_expires_at = ? WHERE id = ? AND business_id = ?`);
  const findLink = db.query<[owner: OwnerRow, expiresAt: number]>(`
    SELECT json_array(json_array(${ownerColumns("o")}), o.link_expires_at)
    FROM owners o WHERE o.link_hash = ?`);
  const setPassword = db.command(`
    UPDATE owners SET password_hash = ?, link_hash = NULL, link_expires_at = NULL WHERE id = ?`);
  const changePassword = db.command(`
    UPDATE owners SET password_hash = ?, link_hash = NULL, link_expires_at = NULL
    WHERE id = ? AND business_id = ? AND password_hash = ?`);

  const findWindow = db.query<[startedAt: number, count: number]>(
    "SELECT json_array(started_at, count) FROM owner_sign_in_windows WHERE name = ?",
  );
  const keepWindow = db.command(`
    INSERT INTO owner_sign_in_windows (name, started_at, count) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET started_at = excluded.started_at, count = excluded.count`);

  const holdsPassword = db.query<[id: string]>(
    "SELECT json_array(id) FROM owners WHERE id = ? AND business_id = ? AND password_hash = ?",
  );
  const begin = db.command(`
    INSERT INTO owner_sessions (token_hash, owner_id, created_at, expires_at) VALUES (?, ?, ?, ?)`);
  const endOldest = db.command(`
    DELETE FROM owner_sessions WHERE owner_id = ?1 AND position NOT IN
      (SELECT position FROM owner_sessions WHERE owner_id = ?1
       ORDER BY position DESC LIMIT ${mostSessions})`);
  const findSession = db.query<[owner: OwnerRow, business: BusinessRow, expiresAt: number]>(`
    SELECT json_array(
      json_array(${ownerColumns("o")}), json_array(${businessColumns("b")}), s.expires_at)
    FROM owner_sessions s
    JOIN owners o ON o.id = s.owner_id
    JOIN businesses b ON b.id = o.business_id
    WHERE s.token_hash = ?`);
  const end = db.command("DELETE FROM owner_sessions WHERE token_hash = ?");
  const endAll = db.command("DELETE FROM owner_sessions WHERE owner_id = ?");
  const endAllOf = db.command(`
    DELETE FROM owner_sessions WHERE owner_id IN
      (SELECT id FROM owners WHERE id = ? AND business_id = ?)`);

  function linkOwner(tokenHash: string): Owner | null {
    const [owner, expiresAt] = findLink(tokenHash) ?? [];
    const usable = expiresAt !== undefined && isUsable({ expiresAt }, clock());
    return owner && usable ? readOwner(owner) : null;
  }

  function windowOf(name: string): Window | null {
    const [startedAt, count] = findWindow(name) ?? [];
    return startedAt === undefined || count === undefined ? null : { startedAt, count };
  }

  return {
    add(owner: Owner, link: PasswordLink): "added" | "email_taken" {
      const { id, businessId, email, passwordHash, createdAt } = owner;
      if (findByEmail(email)) return "email_taken";
      insert(id, businessId, email, passwordHash, createdAt, link.tokenHash, link.expiresAt);
      return "added";
    },

    owners: (businessId: string): Owner[] => (ownersOf(businessId) ?? []).map(readOwner),

    remove(businessId: string, ownerId: string): boolean {
      endAllOf(ownerId, businessId);
      return remove(ownerId, businessId) > 0;
    },

    replaceLink: (businessId: string, ownerId: string, link: PasswordLink): boolean =>
      replaceLink(link.tokenHash, link.expiresAt, ownerId, businessId) > 0,

    linkOwner,

    setPassword(linkTokenHash: string, passwordHash: string): Owner | null {
      const owner = linkOwner(linkTokenHash);
      if (!owner) return null;
      setPassword(passwordHash, owner.id);
      endAll(owner.id);
      return { ...owner, passwordHash };
    },

    changePassword(businessId: string, ownerId: string, { from, to }: PasswordChange): boolean {
      const changed = changePassword(to, ownerId, businessId, from) > 0;
      if (changed) endAll(ownerId);
      return changed;
    },

    byEmail(email: string): Owner | null {
      const row = findByEmail(email);
      return row && readOwner(row);
    },

    admit(attempt: SignInAttempt): SignInAdmission {
      const names = signInWindowsOf(attempt);
      const windows = { address: windowOf(names.address), email: windowOf(names.email) };
      const { admission, address, email } = decideSignIn(windows, clock());
      if (address) keepWindow(names.address, address.startedAt, address.count);
      if (email) keepWindow(names.email, email.startedAt, email.count);
      return admission;
    },

    forgive(attempt: SignInAttempt, chargedAt: number): void {
      for (const name of Object.values(signInWindowsOf(attempt))) {
        const window = windowOf(name);
        if (!window) continue;
        const { startedAt, count } = forgiven(window, chargedAt);
        keepWindow(name, startedAt, count);
      }
    },

    start(businessId: string, session: OwnerSession, passwordHash: string): boolean {
      const { tokenHash, ownerId, createdAt, expiresAt } = session;
      if (!holdsPassword(ownerId, businessId, passwordHash)) return false;
      begin(tokenHash, ownerId, createdAt, expiresAt);
      endOldest(ownerId);
      return true;
    },

    session(tokenHash: string): SignedIn | null {
      const [owner, business, expiresAt] = findSession(tokenHash) ?? [];
      if (!owner || !business || expiresAt === undefined) return null;
      if (!isRunning({ expiresAt }, clock())) return null;
      return { owner: readOwner(owner), business: readBusiness(business), expiresAt };
    },

    end(tokenHash: string): void {
      end(tokenHash);
    },

    endAll(businessId: string, ownerId: string): void {
      endAllOf(ownerId, businessId);
    },
  };
}
