import type { BusinessImport, BusinessStore } from "../port/businesses.js";
import type { Tables } from "./tables.js";

export function memoryBusinesses(tables: Tables): BusinessStore {
  function write(part: BusinessImport): void {
    const { business } = part;
    const before = tables.businessBySlug(business.slug);
    if (before) tables.removeBusiness(before.id);
    tables.businesses.set(business.id, business);
    for (const key of part.keys) tables.keys.set(key.id, key);
    for (const service of part.services) tables.services.set(service.id, service);
    for (const queue of part.queues) tables.queues.set(queue.id, queue);
    for (const entry of part.entries) tables.keepEntry(entry);
    for (const appointment of part.appointments)
      tables.appointments.set(appointment.id, appointment);
  }

  return {
    list: async () => [...tables.businesses.values()],
    get: async (businessId) => tables.businesses.get(businessId) ?? null,
    bySlug: async (slug) => tables.businessBySlug(slug),
    byDisplay: async (displayHash) =>
      [...tables.businesses.values()].find((one) => one.displayHash === displayHash) ?? null,

    async idOf(kind, id) {
      const { keys, queues, entries, appointments } = tables;
      const owning = { key: keys, queue: queues, entry: entries, appointment: appointments };
      return owning[kind].get(id)?.businessId ?? null;
    },

    async change(businessId, change) {
      const business = tables.businesses.get(businessId);
      if (!business) return null;
      const after = { ...business, ...change };
      tables.businesses.set(businessId, after);
      return after;
    },

    async import(imports, { replace }) {
      const slugs = new Set<string>();
      for (const { business } of imports) {
        const taken = slugs.has(business.slug) || tables.businessBySlug(business.slug) !== null;
        if (taken && !replace) return { outcome: "slug_exists", slug: business.slug };
        slugs.add(business.slug);
      }
      for (const part of imports) assertDistinct(part.entries);
      for (const part of imports) write(part);
      return { outcome: "imported" };
    },
  };
}

/** Checks uniqueness, like the unique index of a database. */
function assertDistinct(entries: readonly { readonly id: string }[]): void {
  if (new Set(entries.map(({ id }) => id)).size < entries.length) {
    throw new Error("two entries have the same id");
  }
}
