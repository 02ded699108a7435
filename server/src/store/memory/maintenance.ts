import { isRunning } from "../../rules/owner-session.js";
import { isUsable } from "../../rules/password-link.js";
import type { Clock } from "../../rules/ports.js";
import type { Window } from "../../rules/window.js";
import type { MaintenanceStore } from "../port/imports.js";
import { pruneStep, retention } from "../retention.js";
import type { Tables } from "./tables.js";

export function memoryMaintenance(tables: Tables, expiry: Clock): MaintenanceStore {
  return {
    async prune() {
      const now = expiry();
      const { auditBefore, signInWindowUntil, ownerSignInWindowUntil, importUntil } =
        retention(now);
      const hasEnded = (until: number) => (window: Window) => window.startedAt <= until;
      return {
        auditRows: tables.audit.prune(auditBefore),
        idempotencyKeys: removeSome(tables.heldKeys, (held) => held.keptUntil <= now),
        windows:
          removeSome(tables.failedKeys, hasEnded(signInWindowUntil)) +
          removeSome(tables.ownerSignIns, hasEnded(ownerSignInWindowUntil)),
        sessions: removeSome(tables.sessions, (session) => !isRunning(session, now)),
        passwordLinks: removeSome(tables.passwordLinks, (link) => !isUsable(link, now)),
        unnamed: removeSome(tables.unnamed, ({ since }) => since <= importUntil),
      };
    },
  };
}

/** Removes expired records, at most a fixed number of them. */
function removeSome<Record>(
  table: Map<string, Record>,
  hasExpired: (record: Record) => boolean,
): number {
  const expired = [...table].filter(([, record]) => hasExpired(record)).slice(0, pruneStep);
  for (const [key] of expired) table.delete(key);
  return expired.length;
}
