import { isUsable } from "../../rules/password-link.js";
import type { Clock } from "../../rules/ports.js";
import type { Owner } from "../../rules/records.js";
import type { AccountStore } from "../port/accounts.js";
import { compare, owned, ownedBy, type Tables } from "./tables.js";

export function memoryAccounts(tables: Tables, clock: Clock): AccountStore {
  const { owners, passwordLinks } = tables;

  const byEmail = (email: string): Owner | null =>
    [...owners.values()].find((owner) => owner.email === email) ?? null;

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

  return {
    list: async (businessId) =>
      ownedBy(businessId, owners).sort((a, b) => a.createdAt - b.createdAt || compare(a.id, b.id)),

    byEmail: async (email) => byEmail(email),

    async add(_businessId, owner, link) {
      if (byEmail(owner.email)) return "email_taken";
      owners.set(owner.id, owner);
      passwordLinks.set(owner.id, link);
      return "added";
    },

    async remove(businessId, ownerId) {
      if (!owned(businessId, owners.get(ownerId))) return false;
      tables.removeOwner(ownerId);
      return true;
    },

    async replacePasswordLink(businessId, ownerId, link) {
      if (!owned(businessId, owners.get(ownerId))) return false;
      passwordLinks.set(ownerId, link);
      return true;
    },

    byPasswordLink: async (tokenHash) => byPasswordLink(tokenHash),

    async setPassword(linkTokenHash, passwordHash) {
      const owner = byPasswordLink(linkTokenHash);
      return owner && withPassword(owner, passwordHash);
    },

    async changePassword(businessId, ownerId, { from, to }) {
      const owner = owned(businessId, owners.get(ownerId));
      if (owner?.passwordHash !== from) return false;
      withPassword(owner, to);
      return true;
    },
  };
}
