import { isRunning, mostSessions } from "../../rules/owner-session.js";
import { provesOwner, withPassword } from "../../rules/password-link.js";
import type { Clock } from "../../rules/ports.js";
import type { Owner } from "../../rules/records.js";
import { decideSignIn, forgiven, signInWindowsOf } from "../../rules/sign-in.js";
import type { AccountStore, SessionStore, SignInStore } from "../port/owners.js";
import { byCreation, type Tables } from "./tables.js";

export function memoryAccounts(tables: Tables, clock: Clock): AccountStore {
  const { owners } = tables;
  const remains = ({ role, passwordHash }: Owner) => role === "owner" && passwordHash !== null;
  const isLastOwner = (businessId: string, ownerId: string) =>
    owners.of(businessId, ownerId)?.role === "owner" &&
    !owners.all(businessId).some((other) => other.id !== ownerId && remains(other));

  return {
    list: async (businessId) => owners.all(businessId).sort(byCreation),
    byEmail: async (email) =>
      [...owners.values()].filter((owner) => owner.email === email).sort(byCreation),

    async byPasswordLink(linkTokenHash) {
      const all = [...owners.values()];
      return all.find((owner) => provesOwner(owner, { linkTokenHash }, clock())) ?? null;
    },

    async add(businessId, owner) {
      if (owners.all(businessId).some(({ email }) => email === owner.email)) {
        return "email_taken";
      }
      owners.set(owner.id, owner);
      return "added";
    },

    async changeRole(businessId, ownerId, role) {
      if (!owners.of(businessId, ownerId)) return "not_found";
      if (role !== "owner" && isLastOwner(businessId, ownerId)) return "last_owner";
      owners.change(businessId, ownerId, { role });
      return "changed";
    },

    async remove(businessId, ownerId, { keepOwner }) {
      if (!owners.of(businessId, ownerId)) return "not_found";
      if (keepOwner && isLastOwner(businessId, ownerId)) return "last_owner";
      tables.removeOwner(ownerId);
      return "removed";
    },

    replacePasswordLink: async (businessId, ownerId, link) =>
      owners.change(businessId, ownerId, { link }) !== null,

    async setPassword(businessId, ownerId, passwordHash, proof) {
      const owner = owners.of(businessId, ownerId);
      if (!owner || !provesOwner(owner, proof, clock())) return null;
      tables.endSessions(ownerId);
      return owners.change(businessId, ownerId, withPassword(owner, passwordHash));
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
