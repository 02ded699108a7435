import { isRunning, mostSessions } from "../../rules/owner-session.js";
import type { Clock } from "../../rules/ports.js";
import type { OwnerSession } from "../../rules/records.js";
import type { SignedIn } from "../port/sessions.js";
import type { Connection } from "./connection.js";
import {
  type BusinessRow,
  businessColumns,
  type OwnerRow,
  ownerColumns,
  readBusiness,
  readOwner,
} from "./records.js";

/** The sessions of owners. */
export function prepareSessions(db: Connection, clock: Clock) {
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
  const endAll = db.command(`
    DELETE FROM owner_sessions WHERE owner_id IN
      (SELECT id FROM owners WHERE id = ? AND business_id = ?)`);

  return {
    start(businessId: string, session: OwnerSession, passwordHash: string): boolean {
      const { tokenHash, ownerId, createdAt, expiresAt } = session;
      if (!holdsPassword(ownerId, businessId, passwordHash)) return false;
      begin(tokenHash, ownerId, createdAt, expiresAt);
      endOldest(ownerId);
      return true;
    },

    get(tokenHash: string): SignedIn | null {
      const [owner, business, expiresAt] = findSession(tokenHash) ?? [];
      if (!owner || !business || expiresAt === undefined) return null;
      if (!isRunning({ expiresAt }, clock())) return null;
      return { owner: readOwner(owner), business: readBusiness(business), expiresAt };
    },

    end(tokenHash: string): void {
      end(tokenHash);
    },

    endAll(businessId: string, ownerId: string): void {
      endAll(ownerId, businessId);
    },
  };
}
