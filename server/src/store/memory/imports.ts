import type { Clock } from "../../rules/ports.js";
import { importTooLate } from "../errors.js";
import type { BusinessHead, BusinessRecords, ImportStore, RecordKind } from "../port/imports.js";
import { keysInUse } from "./businesses.js";
import { byCreation, type Tables, type Unnamed } from "./tables.js";

export function memoryImports(tables: Tables, clock: Clock): ImportStore {
  const { businesses, queues, services, keys, owners, unnamed } = tables;
  let isCopying = false;

  function recordsOf(businessId: string): Unnamed["records"] {
    const known = unnamed.get(businessId);
    if (!known) throw importTooLate();
    unnamed.set(businessId, { ...known, since: clock() });
    return known.records;
  }

  function keepHead({ business, ...head }: BusinessHead): void {
    businesses.set(business.id, business);
    for (const queue of head.queues) queues.set(queue.id, queue);
    for (const service of head.services) services.set(service.id, service);
    for (const { lastUsedAt, ...key } of head.keys) {
      const requests = lastUsedAt === null ? null : { startedAt: lastUsedAt, count: 0 };
      keys.set(key.id, { ...key, requests, writes: null });
    }
    for (const owner of head.accounts) owners.set(owner.id, owner);
  }

  function keepRecords(businessId: string): void {
    const { entries, appointments, audit } = recordsOf(businessId);
    unnamed.delete(businessId);
    for (const { entry, keyed } of entries) tables.keepEntry(entry, keyed);
    for (const appointment of appointments) tables.appointments.set(appointment.id, appointment);
    for (const row of audit) tables.audit.add(row);
  }

  function everyRecord(businessId: string): {
    readonly [K in RecordKind]: readonly BusinessRecords[K][];
  } {
    const held = [...tables.heldKeys.values()];
    const keyOf = new Map(held.map(({ entryId, businessId: _, ...keyed }) => [entryId, keyed]));
    const entries = tables.entries.all(businessId);
    return {
      entries: entries.map((entry) => ({ entry, keyed: keyOf.get(entry.id) ?? null })),
      appointments: tables.appointments.all(businessId),
      audit: tables.audit.rows(businessId),
    };
  }

  return {
    async begin(businessId) {
      const records = { entries: [], appointments: [], audit: [] };
      unnamed.set(businessId, { records, since: clock() });
    },

    async add(businessId, kind, records, offset) {
      recordsOf(businessId)[kind].splice(offset, records.length, ...records);
    },

    async commit(head, { replace }) {
      recordsOf(head.business.id);
      const before = tables.business("slug", head.business.slug);
      if (before && !replace) return "slug_exists";
      if (before) tables.removeBusiness(before.id);
      keepHead(head);
      keepRecords(head.business.id);
      return "imported";
    },

    async head(businessId) {
      const business = businesses.get(businessId);
      if (!business) return null;
      return {
        business,
        queues: queues.all(businessId),
        services: services.all(businessId),
        keys: keysInUse(businessId, keys),
        accounts: owners.all(businessId).sort(byCreation),
      };
    },

    read: async (businessId, kind) => ({ items: everyRecord(businessId)[kind], next: null }),

    async markCopying(marked) {
      isCopying = marked;
    },

    isCopying: async () => isCopying,
  };
}
