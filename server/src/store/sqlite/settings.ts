import type { Queue } from "../../rules/records.js";
import type { Connection } from "./connection.js";
import { type QueueRow, queueColumns, readQueue } from "./records.js";

/** What an owner switches: access, the plan's limit, and a queue's flags. */
export function prepareSettings(db: Connection) {
  const setApiAccess = db.command("UPDATE businesses SET api_access = ? WHERE id = ?");
  const setLimit = db.command("UPDATE businesses SET daily_token_limit = ? WHERE id = ?");
  const setFlags = db.query<QueueRow>(`
    UPDATE queues SET
      is_active = ifnull(?, is_active),
      is_token_creation_paused = ifnull(?, is_token_creation_paused)
    WHERE id = ? AND business_id = ?
    RETURNING json_array(${queueColumns("queues")})`);

  return {
    setApiAccess(businessId: string, on: boolean): void {
      setApiAccess(Number(on), businessId);
    },

    setDailyTokenLimit(businessId: string, limit: number | null): void {
      setLimit(limit, businessId);
    },

    setQueueFlags(
      businessId: string,
      queueId: string,
      {
        isActive,
        isTokenCreationPaused,
      }: Partial<Pick<Queue, "isActive" | "isTokenCreationPaused">>,
    ): Queue | null {
      const row = setFlags(flag(isActive), flag(isTokenCreationPaused), queueId, businessId);
      return row && readQueue(row);
    },
  };
}

function flag(on: boolean | undefined): number | null {
  return on === undefined ? null : Number(on);
}
