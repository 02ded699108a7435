import type { Queue } from "../../rules/records.js";
import type { QueueChange } from "../port/queues.js";
import type { Connection } from "./connection.js";
import { list } from "./list.js";
import { type QueueRow, queueColumns, readQueue } from "./records.js";

/** A business's queues. */
export function prepareQueues(db: Connection) {
  const queuesOf = db.query<QueueRow[]>(
    list(queueColumns, "queues", "WHERE business_id = ? ORDER BY position LIMIT -1"),
  );
  const insert = db.command(`
    INSERT INTO queues (id, business_id, name, token_series, is_active, is_token_creation_paused)
    VALUES (?, ?, ?, ?, ?, ?)`);
  const change = db.query<QueueRow>(`
    UPDATE queues SET
      name = ifnull(?, name),
      token_series = ifnull(?, token_series),
      is_active = ifnull(?, is_active),
      is_token_creation_paused = ifnull(?, is_token_creation_paused)
    WHERE id = ? AND business_id = ?
    RETURNING json_array(${queueColumns("queues")})`);

  return {
    list: (businessId: string): Queue[] => (queuesOf(businessId) ?? []).map(readQueue),

    add(businessId: string, queue: Queue): void {
      const { id, name, tokenSeries, isActive, isTokenCreationPaused: paused } = queue;
      insert(id, businessId, name, tokenSeries, Number(isActive), Number(paused));
    },

    change(businessId: string, queueId: string, changes: QueueChange): Queue | null {
      const { name, tokenSeries, isActive, isTokenCreationPaused } = changes;
      const flags = [flag(isActive), flag(isTokenCreationPaused)] as const;
      const row = change(name ?? null, tokenSeries ?? null, ...flags, queueId, businessId);
      return row && readQueue(row);
    },
  };
}

export type Queues = ReturnType<typeof prepareQueues>;

function flag(on: boolean | undefined): number | null {
  return on === undefined ? null : Number(on);
}
