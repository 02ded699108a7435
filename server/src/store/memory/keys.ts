import { isBelowKeyLimit } from "../../rules/key-limit.js";
import type { Clock } from "../../rules/ports.js";
import type { ApiKey, KeyInUse } from "../../rules/records.js";
import type { KeyStore } from "../port/keys.js";
import { changeOne, compare, owned, ownedBy, type Tables } from "./tables.js";

export function memoryKeys(tables: Tables, clock: Clock): KeyStore {
  const { keys } = tables;
  return {
    async list(businessId) {
      const listed = ownedBy(businessId, keys).map((key) => inUse(tables, key));
      return listed.sort((a, b) => a.createdAt - b.createdAt || compare(a.id, b.id));
    },

    async add(businessId, key) {
      if (keys.has(key.id)) return "exists";
      if (!isBelowKeyLimit(ownedBy(businessId, keys), clock())) return "too_many_active";
      keys.set(key.id, key);
      return "added";
    },

    async change(businessId, keyId, change) {
      return changeOne(keys, businessId, keyId, change) !== null;
    },

    async revoke(businessId, keyId, now) {
      const key = owned(businessId, keys.get(keyId));
      if (!key) return false;
      keys.set(key.id, { ...key, revokedAt: key.revokedAt ?? now });
      return true;
    },
  };
}

/** A key with the time of its last use. */
export function inUse({ lastUsed }: Tables, key: ApiKey): KeyInUse {
  return { ...key, lastUsedAt: lastUsed.get(key.id) ?? null };
}
