import { isRunning, mostSessions } from "../../rules/owner-session.js";
import type { Clock } from "../../rules/ports.js";
import type { SessionStore } from "../port/sessions.js";
import { owned, type Tables } from "./tables.js";

export function memorySessions(tables: Tables, clock: Clock): SessionStore {
  const { businesses, owners, sessions } = tables;
  return {
    async start(businessId, session, passwordHash) {
      const { ownerId, tokenHash } = session;
      if (owned(businessId, owners.get(ownerId))?.passwordHash !== passwordHash) return false;
      sessions.set(tokenHash, session);
      const held = [...sessions.values()].filter((other) => other.ownerId === ownerId);
      for (const oldest of held.slice(0, -mostSessions)) sessions.delete(oldest.tokenHash);
      return true;
    },

    async get(tokenHash) {
      const session = sessions.get(tokenHash);
      if (!session || !isRunning(session, clock())) return null;
      const owner = owners.get(session.ownerId);
      const business = businesses.get(owner?.businessId ?? "");
      return owner && business ? { owner, business, expiresAt: session.expiresAt } : null;
    },

    async end(tokenHash) {
      sessions.delete(tokenHash);
    },

    async endAll(businessId, ownerId) {
      if (owned(businessId, owners.get(ownerId))) tables.endSessions(ownerId);
    },
  };
}
