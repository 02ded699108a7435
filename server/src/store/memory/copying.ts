import type { Kept, Kind, Load } from "../kept.js";
import type { CopyStore } from "../port/copying.js";
import { inUse } from "./keys.js";
import { recordKey, type Tables } from "./tables.js";

export function memoryCopying(tables: Tables): CopyStore {
  const loaders: Load = {
    businesses: (records) => put(tables.businesses, records),
    services: (records) => put(tables.services, records),
    queues: (records) => put(tables.queues, records),
    keys: (records) => {
      for (const { lastUsedAt, ...key } of records) {
        tables.keys.set(key.id, key);
        if (lastUsedAt !== null) tables.lastUsed.set(key.id, lastUsedAt);
      }
    },
    owners: (records) => {
      for (const { link, ...owner } of records) {
        tables.owners.set(owner.id, owner);
        if (link) tables.passwordLinks.set(owner.id, { ...link, ownerId: owner.id });
        else tables.passwordLinks.delete(owner.id);
      }
    },
    appointments: (records) => put(tables.appointments, records),
    entries: (records) => {
      for (const { claimId, ...entry } of records) {
        tables.keepEntry(entry);
        if (claimId !== null) tables.claimed.set(claimId, entry.id);
      }
    },
    idempotency: (records) => {
      for (const record of records) {
        tables.idempotency.set(recordKey(record.businessId, record.key), record);
      }
    },
    audit: (records, offset) => tables.audit.load(records, offset),
  };

  return {
    async dump(kind) {
      return { items: everything(tables)[kind], next: null };
    },

    async load<K extends Kind>(kind: K, records: readonly Kept[K][], offset: number) {
      await loaders[kind](records, offset);
    },

    async finish() {},
  };
}

function everything(tables: Tables): { readonly [K in Kind]: readonly Kept[K][] } {
  const claims = new Map([...tables.claimed].map(([claimId, entryId]) => [entryId, claimId]));
  return {
    businesses: [...tables.businesses.values()],
    services: [...tables.services.values()],
    queues: [...tables.queues.values()],
    keys: [...tables.keys.values()].map((key) => inUse(tables, key)),
    owners: [...tables.owners.values()].map((owner) => {
      const link = tables.passwordLinks.get(owner.id);
      return {
        ...owner,
        link: link ? { tokenHash: link.tokenHash, expiresAt: link.expiresAt } : null,
      };
    }),
    entries: [...tables.entries.values()].map((entry) => ({
      ...entry,
      claimId: claims.get(entry.id) ?? null,
    })),
    appointments: [...tables.appointments.values()],
    idempotency: [...tables.idempotency.values()],
    audit: tables.audit.rows(),
  };
}

function put<Record extends { readonly id: string }>(
  table: Map<string, Record>,
  records: readonly Record[],
): void {
  for (const record of records) table.set(record.id, record);
}
