import type { Queue, Service } from "../../rules/records.js";
import type { QueueChange, ServiceChange } from "../store.js";
import type { Connection } from "./connection.js";
import {
  type QueueRow,
  queueColumns,
  readQueue,
  readService,
  type ServiceRow,
  serviceColumns,
} from "./records.js";

/** What a business offers, as its owner handles it: queues to stand in, services to come for. */
export function prepareOffer(db: Connection) {
  const insertQueue = db.command(`
    INSERT INTO queues (id, business_id, name, token_series, is_active, is_token_creation_paused)
    VALUES (?, ?, ?, ?, ?, ?)`);
  const changeQueue = db.query<QueueRow>(`
    UPDATE queues SET
      name = ifnull(?, name),
      token_series = ifnull(?, token_series),
      is_active = ifnull(?, is_active),
      is_token_creation_paused = ifnull(?, is_token_creation_paused)
    WHERE id = ? AND business_id = ?
    RETURNING json_array(${queueColumns("queues")})`);
  const insertService = db.command(`
    INSERT INTO services (id, business_id, name, price, base_time_minutes, active)
    VALUES (?, ?, ?, ?, ?, ?)`);
  const findService = db.query<ServiceRow>(
    `SELECT json_array(${serviceColumns("s")}) FROM services s WHERE s.id = ? AND s.business_id = ?`,
  );
  const updateService = db.command(
    "UPDATE services SET name = ?, price = ?, base_time_minutes = ?, active = ? WHERE id = ?",
  );

  return {
    addQueue(queue: Queue): void {
      const { id, businessId, name, tokenSeries, isActive, isTokenCreationPaused: paused } = queue;
      insertQueue(id, businessId, name, tokenSeries, Number(isActive), Number(paused));
    },

    changeQueue(businessId: string, queueId: string, change: QueueChange): Queue | null {
      const { name, tokenSeries, isActive, isTokenCreationPaused } = change;
      const flags = [flag(isActive), flag(isTokenCreationPaused)] as const;
      const row = changeQueue(name ?? null, tokenSeries ?? null, ...flags, queueId, businessId);
      return row && readQueue(row);
    },

    addService(service: Service): void {
      const { id, businessId, name, price, baseTimeMinutes, active } = service;
      insertService(id, businessId, name, price, baseTimeMinutes, Number(active));
    },

    changeService(businessId: string, serviceId: string, change: ServiceChange): Service | null {
      const row = findService(serviceId, businessId);
      if (!row) return null;
      const after = { ...readService(row), ...change };
      const { name, price, baseTimeMinutes, active } = after;
      updateService(name, price, baseTimeMinutes, Number(active), serviceId);
      return after;
    },
  };
}

export type Offer = ReturnType<typeof prepareOffer>;

function flag(on: boolean | undefined): number | null {
  return on === undefined ? null : Number(on);
}
