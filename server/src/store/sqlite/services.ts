import type { Service } from "../../rules/records.js";
import type { ServiceChange } from "../port/services.js";
import type { Connection } from "./connection.js";
import { list } from "./list.js";
import { readService, type ServiceRow, serviceColumns } from "./records.js";

/** A business's services. */
export function prepareServices(db: Connection) {
  const servicesOf = db.query<ServiceRow[]>(
    list(serviceColumns, "services", "WHERE business_id = ? ORDER BY position LIMIT -1"),
  );
  const insert = db.command(`
    INSERT INTO services (id, business_id, name, price, base_time_minutes, active)
    VALUES (?, ?, ?, ?, ?, ?)`);
  const find = db.query<ServiceRow>(
    `SELECT json_array(${serviceColumns("s")}) FROM services s WHERE s.id = ? AND s.business_id = ?`,
  );
  const update = db.command(
    "UPDATE services SET name = ?, price = ?, base_time_minutes = ?, active = ? WHERE id = ?",
  );

  return {
    list: (businessId: string): Service[] => (servicesOf(businessId) ?? []).map(readService),

    add(businessId: string, service: Service): void {
      const { id, name, price, baseTimeMinutes, active } = service;
      insert(id, businessId, name, price, baseTimeMinutes, Number(active));
    },

    change(businessId: string, serviceId: string, change: ServiceChange): Service | null {
      const row = find(serviceId, businessId);
      if (!row) return null;
      const after = { ...readService(row), ...change };
      const { name, price, baseTimeMinutes, active } = after;
      update(name, price, baseTimeMinutes, Number(active), serviceId);
      return after;
    },
  };
}

export type Services = ReturnType<typeof prepareServices>;
