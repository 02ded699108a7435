import type { Clock } from "../../rules/ports.js";
import type { BusinessHead, BusinessRecords, ImportStore, RecordKind } from "../port/imports.js";
import { importTooLate } from "../retention.js";
import { inUse } from "./businesses.js";
import { byCreation, keyPlace, ownedBy, type Tables, type Unnamed } from "./tables.js";

export function memoryImports(tables: Tables, clock: Clock): ImportStore {
  const { businesses, queues, services, keys, owners, passwordLinks, unnamed } = tables;
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
      keys.set(key.id, key);
      const requests = lastUsedAt === null ? null : { startedAt: lastUsedAt, count: 0 };
      tables.keyWindows.set(key.id, { requests, writes: null });
    }
    for (const { owner, link } of head.accounts) {
      owners.set(owner.id, owner);
      if (link) passwordLinks.set(owner.id, link);
    }
  }

  function keepRecords(businessId: string): void {
    const { entries, appointments, audit } = recordsOf(businessId);
    unnamed.delete(businessId);
    for (const { entry, keyed } of entries) {
      tables.keepEntry(entry);
      if (!keyed) continue;
      const held = { ...keyed, businessId, entryId: entry.id };
      tables.heldKeys.set(keyPlace(businessId, keyed.key), held);
    }
    for (const appointment of appointments) tables.appointments.set(appointment.id, appointment);
    for (const row of audit) tables.audit.add(row);
  }

  function everyRecord(businessId: string): {
    readonly [K in RecordKind]: readonly BusinessRecords[K][];
  } {
    const held = new Map(
      ownedBy(businessId, tables.heldKeys).map(({ entryId, businessId: _, ...keyed }) => [
        entryId,
        keyed,
      ]),
    );
    return {
      entries: ownedBy(businessId, tables.entries).map((entry) => ({
        entry,
        keyed: held.get(entry.id) ?? null,
      })),
      appointments: ownedBy(businessId, tables.appointments),
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
      const before = tables.businessBySlug(head.business.slug);
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
        queues: ownedBy(businessId, queues),
        services: ownedBy(businessId, services),
        keys: ownedBy(businessId, keys)
          .sort(byCreation)
          .map((key) => inUse(tables, key)),
        accounts: ownedBy(businessId, owners)
          .sort(byCreation)
          .map((owner) => ({ owner, link: passwordLinks.get(owner.id) ?? null })),
      };
    },

    read: async (businessId, kind) => ({ items: everyRecord(businessId)[kind], next: null }),

    async beginCopy() {
      isCopying ||= businesses.size === 0;
      return isCopying;
    },

    async endCopy() {
      isCopying = false;
    },

    isCopying: async () => isCopying,
  };
}
