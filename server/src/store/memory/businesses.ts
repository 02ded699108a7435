import { forgottenKeys, isBelowKeyLimit } from "../../rules/key-limit.js";
import type { Clock } from "../../rules/ports.js";
import type { ApiKey, KeyInUse } from "../../rules/records.js";
import type { BusinessStore, KeyStore, QueueStore, ServiceStore } from "../port/business.js";
import { queueDay } from "./line.js";
import { addOne, byCreation, changeOne, owned, ownedBy, removeOne, type Tables } from "./tables.js";

export function memoryBusinesses(tables: Tables): BusinessStore {
  const { businesses, keys, queues, entries, appointments } = tables;
  const owning = { key: keys, queue: queues, entry: entries, appointment: appointments };
  return {
    list: async () => [...businesses.values()],
    get: async (businessId) => businesses.get(businessId) ?? null,
    bySlug: async (slug) => tables.businessBySlug(slug),
    byDisplay: async (displayHash) =>
      [...businesses.values()].find((one) => one.displayHash === displayHash) ?? null,
    idOf: async (kind, id) => owning[kind].get(id)?.businessId ?? null,

    async change(businessId, change) {
      const business = businesses.get(businessId);
      if (!business) return null;
      const after = { ...business, ...change };
      businesses.set(businessId, after);
      return after;
    },
  };
}

export function memoryKeys(tables: Tables, clock: Clock): KeyStore {
  const { keys } = tables;
  return {
    list: async (businessId) =>
      ownedBy(businessId, keys)
        .map((key) => inUse(tables, key))
        .sort(byCreation),

    async add(businessId, key) {
      if (keys.has(key.id)) return "exists";
      const others = ownedBy(businessId, keys);
      if (!isBelowKeyLimit(others, clock())) return "too_many_active";
      for (const id of forgottenKeys(others, clock())) keys.delete(id);
      return addOne(keys, key);
    },

    async change(businessId, keyId, change) {
      return changeOne(keys, businessId, keyId, change) !== null;
    },

    async revoke(businessId, keyId, now) {
      const revokedAt = keys.get(keyId)?.revokedAt ?? now;
      return changeOne(keys, businessId, keyId, { revokedAt }) !== null;
    },
  };
}

/** A key with the time of its last use. */
export function inUse({ keyWindows }: Tables, key: ApiKey): KeyInUse {
  return { ...key, lastUsedAt: keyWindows.get(key.id)?.requests?.startedAt ?? null };
}

export function memoryQueues(tables: Tables): QueueStore {
  const { queues, entries } = tables;
  return {
    list: async (businessId) => ownedBy(businessId, queues),

    async day(businessId, queueId, date) {
      const queue = owned(businessId, queues.get(queueId));
      return queue && queueDay(queue, tables.day(queue, date));
    },

    add: async (_businessId, queue) => addOne(queues, queue),
    change: async (businessId, queueId, change) => changeOne(queues, businessId, queueId, change),

    async reorder(businessId, queueIds) {
      const before = ownedBy(businessId, queues);
      const named = queueIds.flatMap((id) => owned(businessId, queues.get(id)) ?? []);
      for (const { id } of before) queues.delete(id);
      for (const queue of [...named, ...before]) {
        if (!queues.has(queue.id)) queues.set(queue.id, queue);
      }
    },

    remove: async (businessId, queueId) =>
      removeOne(queues, businessId, queueId, () =>
        ownedBy(businessId, entries).some((entry) =>
          [entry, ...entry.earlierPlaces].some((place) => place.queueId === queueId),
        ),
      ),
  };
}

export function memoryServices({ services, entries, appointments }: Tables): ServiceStore {
  return {
    list: async (businessId) => ownedBy(businessId, services),
    add: async (_businessId, service) => addOne(services, service),
    change: async (businessId, serviceId, change) =>
      changeOne(services, businessId, serviceId, change),

    remove: async (businessId, serviceId) =>
      removeOne(services, businessId, serviceId, () =>
        [...ownedBy(businessId, entries), ...ownedBy(businessId, appointments)].some(
          (record) => record.serviceId === serviceId,
        ),
      ),
  };
}
