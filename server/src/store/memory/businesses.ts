import { forgottenKeys, isBelowKeyLimit, revokedOnce } from "../../rules/key.js";
import type { Clock } from "../../rules/ports.js";
import type { KeyInUse } from "../../rules/records.js";
import type { BusinessStore, KeyStore, QueueStore, ServiceStore } from "../port/business.js";
import { queueDay } from "./line.js";
import { byCreation, type ChargedKey, type Tables } from "./tables.js";

export function memoryBusinesses(tables: Tables): BusinessStore {
  const { businesses, keys, queues, entries, appointments } = tables;
  const owning = { key: keys, queue: queues, entry: entries, appointment: appointments };
  return {
    list: async () => [...businesses.values()],
    async find(by, value) {
      if (by === "id" || by === "slug" || by === "displayHash") return tables.business(by, value);
      return businesses.get(owning[by].get(value)?.businessId ?? "") ?? null;
    },

    async change(businessId, change) {
      const business = businesses.get(businessId);
      const after = business ? { ...business, ...change } : null;
      if (after) businesses.set(businessId, after);
      return after;
    },
  };
}

export function memoryKeys({ keys }: Tables, clock: Clock): KeyStore {
  return {
    list: async (businessId) => keysInUse(businessId, keys),

    async add(businessId, key) {
      if (keys.has(key.id)) return "exists";
      const others = keys.all(businessId);
      if (!isBelowKeyLimit(others, clock())) return "too_many_active";
      for (const id of forgottenKeys(others, clock())) keys.delete(id);
      return keys.add({ ...key, requests: null, writes: null });
    },

    async change(businessId, id, change) {
      const key = keys.of(businessId, id);
      const after = key && keys.change(businessId, id, revokedOnce(key, change));
      return after && inUse(after);
    },
  };
}

function inUse({ requests, writes, ...key }: ChargedKey): KeyInUse {
  return { ...key, lastUsedAt: requests?.startedAt ?? null };
}

/** The keys of a business with the times of their last use. */
export function keysInUse(businessId: string, keys: Tables["keys"]): KeyInUse[] {
  return keys.all(businessId).map(inUse).sort(byCreation);
}

export function memoryQueues(tables: Tables): QueueStore {
  const { queues, entries } = tables;
  const isInUse = (businessId: string, id: string) =>
    entries
      .all(businessId)
      .some((entry) => [entry, ...entry.earlierPlaces].some(({ queueId }) => queueId === id));
  return {
    list: async (businessId) => queues.all(businessId),

    async day(businessId, id, date) {
      const queue = queues.of(businessId, id);
      return queue && queueDay(queue, tables.day(queue, date));
    },

    add: async (_, queue) => queues.add(queue),
    change: async (businessId, id, change) => queues.change(businessId, id, change),

    async reorder(businessId, queueIds) {
      const before = queues.all(businessId);
      const named = queueIds.flatMap((id) => queues.of(businessId, id) ?? []);
      for (const { id } of before) queues.delete(id);
      for (const queue of [...named, ...before]) queues.add(queue);
    },

    isInUse: async (businessId, id) => isInUse(businessId, id),
    remove: async (businessId, id) => queues.remove(businessId, id, () => isInUse(businessId, id)),
  };
}

export function memoryServices({ services, entries, appointments }: Tables): ServiceStore {
  const isInUse = (businessId: string, id: string) =>
    [...entries.all(businessId), ...appointments.all(businessId)].some(
      ({ serviceId }) => serviceId === id,
    );
  return {
    list: async (businessId) => services.all(businessId),
    add: async (_, service) => services.add(service),
    change: async (businessId, id, change) => services.change(businessId, id, change),
    isInUse: async (businessId, id) => isInUse(businessId, id),
    remove: async (businessId, id) =>
      services.remove(businessId, id, () => isInUse(businessId, id)),
  };
}
