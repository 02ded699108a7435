import type { Clock } from "../../rules/ports.js";
import type { PruneReport } from "../port/maintenance.js";
import { pruneStep, retention } from "../retention.js";
import type { Connection } from "./connection.js";

/** Removes expired records, at most a fixed number of rows of each kind. */
export function prepareMaintenance(db: Connection, expiry: Clock) {
  const audit = db.command(`
    DELETE FROM audit WHERE position IN
      (SELECT position FROM audit WHERE at < ? ORDER BY at LIMIT ${pruneStep})`);
  const idempotency = db.command(`
    DELETE FROM idempotency WHERE (business_id, key) IN
      (SELECT business_id, key FROM idempotency WHERE kept_until <= ? LIMIT ${pruneStep})`);
  const signIns = db.command(`
    DELETE FROM sign_in_windows WHERE subject IN
      (SELECT subject FROM sign_in_windows WHERE started_at <= ? LIMIT ${pruneStep})`);
  const keyWindows = db.command(`
    DELETE FROM key_windows WHERE key_id IN
      (SELECT key_id FROM key_windows
       WHERE requests_started_at <= ?1 AND ifnull(writes_started_at <= ?1, 1)
       LIMIT ${pruneStep})`);
  const ownerSignIns = db.command(`
    DELETE FROM owner_sign_in_windows WHERE name IN
      (SELECT name FROM owner_sign_in_windows WHERE started_at <= ? LIMIT ${pruneStep})`);
  const sessions = db.command(`
    DELETE FROM owner_sessions WHERE position IN
      (SELECT position FROM owner_sessions WHERE expires_at <= ? LIMIT ${pruneStep})`);
  const passwordLinks = db.command(`
    UPDATE owners SET link_hash = NULL, link_expires_at = NULL WHERE id IN
      (SELECT id FROM owners WHERE link_expires_at <= ? LIMIT ${pruneStep})`);

  return {
    prune(): PruneReport {
      const now = expiry();
      const { auditBefore, signInWindowUntil, keyWindowUntil, ownerSignInWindowUntil } =
        retention(now);
      return {
        auditRows: audit(auditBefore),
        idempotencyRecords: idempotency(now),
        windows:
          signIns(signInWindowUntil) +
          keyWindows(keyWindowUntil) +
          ownerSignIns(ownerSignInWindowUntil),
        sessions: sessions(now),
        passwordLinks: passwordLinks(now),
      };
    },
  };
}
