import type { Business, Queue, Service } from "../../rules/records.js";
import type { Connection } from "./connection.js";
import { list } from "./list.js";
import {
  type BusinessRow,
  businessColumns,
  type QueueRow,
  queueColumns,
  readBusiness,
  readQueue,
  readService,
  type ServiceRow,
  serviceColumns,
} from "./records.js";

/** What changes seldom: businesses, their services and their queues, and whose a thing is. */
export function prepareCatalogue(db: Connection) {
  const allBusinesses = db.query<BusinessRow[]>(
    list(businessColumns, "businesses", "ORDER BY position LIMIT -1"),
  );
  const businessOfSlug = db.query<BusinessRow>(
    `SELECT json_array(${businessColumns("b")}) FROM businesses b WHERE b.slug = ?`,
  );
  const servicesOf = db.query<ServiceRow[]>(
    list(serviceColumns, "services", "WHERE business_id = ? ORDER BY position LIMIT -1"),
  );
  const queuesOf = db.query<QueueRow[]>(
    list(queueColumns, "queues", "WHERE business_id = ? ORDER BY position LIMIT -1"),
  );
  const ownerOf = {
    key: db.query<[string]>("SELECT json_array(business_id) FROM api_keys WHERE id = ?"),
    queue: db.query<[string]>("SELECT json_array(business_id) FROM queues WHERE id = ?"),
    entry: db.query<[string]>(
      "SELECT json_array(l.business_id) FROM entries e JOIN lines l ON l.id = e.line_id WHERE e.id = ?",
    ),
    appointment: db.query<[string]>(
      "SELECT json_array(business_id) FROM appointments WHERE id = ?",
    ),
  };

  return {
    businesses: (): Business[] => (allBusinesses() ?? []).map(readBusiness),

    businessBySlug(slug: string): Business | null {
      const row = businessOfSlug(slug);
      return row && readBusiness(row);
    },

    services: (businessId: string): Service[] => (servicesOf(businessId) ?? []).map(readService),

    queues: (businessId: string): Queue[] => (queuesOf(businessId) ?? []).map(readQueue),

    businessIdOf: (kind: keyof typeof ownerOf, id: string): string | null =>
      ownerOf[kind](id)?.[0] ?? null,
  };
}

export type Catalogue = ReturnType<typeof prepareCatalogue>;
