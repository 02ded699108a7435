import { limits } from "@queue-api/contract/limits";
import { auditRetentionMs } from "../../rules/audit.js";
import { isRunning } from "../../rules/owner-session.js";
import { isUsable } from "../../rules/password-link.js";
import type { Clock } from "../../rules/ports.js";
import { ownerSignInLimit } from "../../rules/sign-in.js";
import type { Window } from "../../rules/window.js";
import { importPauseMs, type MaintenanceStore, pruneStep } from "../port/imports.js";
import type { Tables } from "./tables.js";

export function memoryMaintenance(tables: Tables, expiry: Clock): MaintenanceStore {
  return {
    async prune() {
      const now = expiry();
      const hasEnded = (seconds: number) => (window: Window) =>
        window.startedAt + seconds * 1000 <= now;
      return {
        auditRows: tables.audit.prune(now - auditRetentionMs),
        idempotencyKeys: removeSome(tables.heldKeys, (held) => held.keptUntil <= now),
        windows:
          removeSome(tables.failedKeys, hasEnded(limits.failedSignInWindowSeconds)) +
          removeSome(tables.ownerSignIns, hasEnded(ownerSignInLimit.seconds)),
        sessions: removeSome(tables.sessions, (session) => !isRunning(session, now)),
        passwordLinks: removeLinks(tables.owners, now),
        unnamed: removeSome(tables.unnamed, ({ since }) => since + importPauseMs <= now),
      };
    },
  };
}

/** Removes expired links from their owners. */
function removeLinks(owners: Tables["owners"], now: number): number {
  const expired = [...owners.values()].filter(({ link }) => link && !isUsable(link, now));
  for (const owner of expired) owners.set(owner.id, { ...owner, link: null });
  return expired.length;
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
