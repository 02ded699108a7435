import { auditRetentionMs } from "../../rules/audit.js";
import type { ZoneDayLoad } from "../../rules/lines-load.js";
import type { Clock } from "../../rules/ports.js";
import { importPauseMs, type PruneReport, pruneStep } from "../port/imports.js";
import type { Connection } from "./connection.js";
import { freeKeys } from "./schema.js";

/** Removes expired records, at most a fixed number of rows of each kind. */
export function prepareMaintenance(db: Connection, expiry: Clock) {
  /** Ends some of the rows that are due. `key` is the primary key. */
  const ending = (change: string, table: string, key: string, due: string) =>
    db.command(`
      ${change} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${due} LIMIT ${pruneStep})`);
  const removing = (table: string, key: string, due: string) =>
    ending(`DELETE FROM ${table}`, table, key, due);

  const auditRows = removing("audit", "business_id, position", "at < ? ORDER BY at");
  const windows = removing("sign_in_windows", "name", "ends_at <= ?");
  const sessions = removing("owner_sessions", "position", "expires_at <= ?");
  const idempotencyKeys = ending(freeKeys, "entries", "position", "kept_until <= ?");
  const passwordLinks = ending(
    "UPDATE owners SET link = NULL",
    ...(["owners", "id", "link IS NOT NULL AND link ->> 'expiresAt' <= ?"] as const),
  );

  const findUnnamed = db.query<[businessId: string]>(
    "SELECT json_array(business_id) FROM unnamed WHERE since <= ? ORDER BY since LIMIT 1",
  );
  /** From here on the import cannot be committed. */
  const end = db.command("UPDATE unnamed SET since = 0 WHERE business_id = ?");
  const forget = db.command("DELETE FROM unnamed WHERE business_id = ?");
  const recordsOf = [
    removing("entries", "position", "business_id = ?"),
    removing("appointments", "id", "business_id = ?"),
    removing("audit", "business_id, position", "business_id = ?"),
  ];

  /** Removes part of the records of one import or replaced business. */
  function removeUnnamed(until: number): number {
    const [businessId] = findUnnamed(until) ?? [];
    if (businessId === undefined) return 0;
    end(businessId);
    for (const remove of recordsOf) {
      const removed = remove(businessId);
      if (removed > 0) return removed;
    }
    return forget(businessId);
  }

  return {
    prune(): PruneReport {
      const now = expiry();
      return {
        auditRows: auditRows(now - auditRetentionMs),
        idempotencyKeys: idempotencyKeys(now),
        windows: windows(now),
        sessions: sessions(now),
        passwordLinks: passwordLinks(now),
        unnamed: removeUnnamed(now - importPauseMs),
      };
    },
  };
}

/** The number of waiting entries and the time of the earliest, over all businesses. */
export function prepareMonitoring(db: Connection) {
  const loads = db.query<ZoneDayLoad[]>(`
    SELECT json_group_array(json_object(
      'timezone', timezone, 'date', date, 'waiting', waiting, 'firstIssuedAt', first_issued_at))
    FROM (
      SELECT b.timezone, e.date, count(*) AS waiting, min(e.issued_at) AS first_issued_at
      FROM (SELECT id, timezone FROM businesses ORDER BY position LIMIT -1) b
      CROSS JOIN queues q ON q.business_id = b.id
      CROSS JOIN entries e INDEXED BY entries_waiting
        ON e.business_id = b.id AND e.queue_id = q.id
          AND e.date IN (SELECT value FROM json_each(?)) AND e.status = 'WAITING'
      GROUP BY b.timezone, e.date)`);

  return {
    linesByDay: (dates: readonly string[]): ZoneDayLoad[] => loads(JSON.stringify(dates)) ?? [],
  };
}
