import { isRunning, mostSessions } from "../../rules/owner-session.js";
import { isUsable } from "../../rules/password-link.js";
import type { Clock } from "../../rules/ports.js";
import type { Owner } from "../../rules/records.js";
import { decideSignIn, forgiven, signInWindowsOf } from "../../rules/sign-in.js";
import type { AccountStore, SessionStore, SignInStore } from "../port/owners.js";
import { byCreation, type Tables } from "./tables.js";

export function memoryAccounts(tables: Tables, clock: Clock): AccountStore {
  const { owners, passwordLinks } = tables;

  function byPasswordLink(tokenHash: string): Owner | null {
    const link = [...passwordLinks.values()].find((link) => link.tokenHash === tokenHash);
    if (!link || !isUsable(link, clock())) return null;
    return owners.get(link.ownerId) ?? null;
  }

  function withPassword(owner: Owner, passwordHash: string): Owner {
    const after = { ...owner, passwordHash };
    owners.set(owner.id, after);
    passwordLinks.delete(owner.id);
    tables.endSessions(owner.id);
    return after;
  }

  const remains = ({ role, passwordHash }: Owner) => role === "owner" && passwordHash !== null;

  return {
    list: async (businessId) => owners.all(businessId).sort(byCreation),
    byEmail: async (email) =>
      [...owners.values()].filter((owner) => owner.email === email).sort(byCreation),

    async add(businessId, owner, link) {
      if (owners.all(businessId).some(({ email }) => email === owner.email)) {
        return "email_taken";
      }
      owners.set(owner.id, owner);
      passwordLinks.set(owner.id, link);
      return "added";
    },

    async remove(businessId, ownerId, { keepOwner }) {
      const owner = owners.of(businessId, ownerId);
      if (!owner) return "not_found";
      const others = owners.all(businessId).filter(({ id }) => id !== ownerId);
      if (keepOwner && owner.role === "owner" && !others.some(remains)) return "last_owner";
      tables.removeOwner(ownerId);
      return "removed";
    },

    async replacePasswordLink(businessId, ownerId, link) {
      if (!owners.of(businessId, ownerId)) return false;
      passwordLinks.set(ownerId, link);
      return true;
    },

    byPasswordLink: async (tokenHash) => byPasswordLink(tokenHash),

    async setPassword(linkTokenHash, passwordHash) {
      const owner = byPasswordLink(linkTokenHash);
      return owner && withPassword(owner, passwordHash);
    },

    async changePassword(businessId, ownerId, { from, to }) {
      const owner = owners.of(businessId, ownerId);
      if (owner?.passwordHash !== from) return false;
      withPassword(owner, to);
      return true;
    },
  };
}

export function memorySessions(tables: Tables, clock: Clock): SessionStore {
  const { businesses, owners, sessions } = tables;
  return {
    async start(businessId, session, passwordHash) {
      const { ownerId, tokenHash } = session;
      if (owners.of(businessId, ownerId)?.passwordHash !== passwordHash) return false;
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
      if (owners.of(businessId, ownerId)) tables.endSessions(ownerId);
    },
  };
}

export function memorySignIns({ ownerSignIns: windows }: Tables, clock: Clock): SignInStore {
  return {
    async admit(attempt) {
      const names = signInWindowsOf(attempt);
      const found = {
        address: windows.get(names.address) ?? null,
        email: windows.get(names.email) ?? null,
      };
      const { admission, address, email } = decideSignIn(found, clock());
      if (address) windows.set(names.address, address);
      if (email) windows.set(names.email, email);
      return admission;
    },

    async forgive(attempt, chargedAt) {
      for (const name of Object.values(signInWindowsOf(attempt))) {
        const window = windows.get(name);
        if (window) windows.set(name, forgiven(window, chargedAt));
      }
    },
  };
}
