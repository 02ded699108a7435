import { isUsable } from "../../rules/password-link.js";
import type { Clock } from "../../rules/ports.js";
import type { Owner, PasswordLink } from "../../rules/records.js";
import type { PasswordChange } from "../port/accounts.js";
import type { Connection } from "./connection.js";
import { list as listed } from "./list.js";
import { type OwnerRow, ownerColumns, readOwner } from "./records.js";

/** The accounts of owners, with the links by which they set a password. */
export function prepareAccounts(db: Connection, clock: Clock) {
  const findByEmail = db.query<OwnerRow>(
    `SELECT json_array(${ownerColumns("o")}) FROM owners o WHERE o.email = ?`,
  );
  const ownersOf = db.query<OwnerRow[]>(
    listed(ownerColumns, "owners", "WHERE business_id = ? ORDER BY created_at, id LIMIT -1"),
  );
  const insert = db.command(`
    INSERT INTO owners (id, business_id, email, password_hash, created_at, link_hash, link_expires_at, role)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
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

  const endSessions = db.command("DELETE FROM owner_sessions WHERE owner_id = ?");

  function byPasswordLink(tokenHash: string): Owner | null {
    const [owner, expiresAt] = findLink(tokenHash) ?? [];
    const usable = expiresAt !== undefined && isUsable({ expiresAt }, clock());
    return owner && usable ? readOwner(owner) : null;
  }

  return {
    add(businessId: string, owner: Owner, link: PasswordLink): "added" | "email_taken" {
      const { id, email, passwordHash, createdAt, role } = owner;
      if (findByEmail(email)) return "email_taken";
      insert(id, businessId, email, passwordHash, createdAt, link.tokenHash, link.expiresAt, role);
      return "added";
    },

    list: (businessId: string): Owner[] => (ownersOf(businessId) ?? []).map(readOwner),

    remove(businessId: string, ownerId: string): boolean {
      const removed = remove(ownerId, businessId) > 0;
      if (removed) endSessions(ownerId);
      return removed;
    },

    replacePasswordLink: (businessId: string, ownerId: string, link: PasswordLink): boolean =>
      replaceLink(link.tokenHash, link.expiresAt, ownerId, businessId) > 0,

    byPasswordLink,

    setPassword(linkTokenHash: string, passwordHash: string): Owner | null {
      const owner = byPasswordLink(linkTokenHash);
      if (!owner) return null;
      setPassword(passwordHash, owner.id);
      endSessions(owner.id);
      return { ...owner, passwordHash };
    },

    changePassword(businessId: string, ownerId: string, { from, to }: PasswordChange): boolean {
      const changed = changePassword(to, ownerId, businessId, from) > 0;
      if (changed) endSessions(ownerId);
      return changed;
    },

    byEmail(email: string): Owner | null {
      const row = findByEmail(email);
      return row && readOwner(row);
    },
  };
}
