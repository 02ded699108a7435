import type { ZoneDayLoad } from "../../rules/lines-load.js";
import type { Connection } from "./connection.js";

/**
 * The number of waiting entries and the time of the earliest, from the counts of each line and its first
 * entry.
 */
export function prepareMonitoring(db: Connection) {
  // The scan of all businesses is intended, because it lets SQLite find their lines by an index.
  const loads = db.query<[string | null, string, number, number][]>(`
    SELECT json_group_array(json_array(timezone, date, waiting, first_issued_at)) FROM (
      SELECT b.timezone AS timezone, l.date AS date, sum(l.waiting) AS waiting,
        min((SELECT e.issued_at FROM entries e INDEXED BY entries_by_status
          WHERE e.line_id = l.id AND e.status = 'WAITING'
          ORDER BY e.token_number LIMIT 1)) AS first_issued_at
      FROM (SELECT id, timezone FROM businesses ORDER BY position LIMIT -1) b
      JOIN lines l ON l.business_id = b.id AND l.date IN (SELECT value FROM json_each(?))
      WHERE l.waiting > 0
      GROUP BY b.timezone, l.date)`);

  return {
    linesByDay: (dates: readonly string[]): ZoneDayLoad[] =>
      (loads(JSON.stringify(dates)) ?? []).map(([timezone, date, waiting, firstIssuedAt]) => ({
        timezone,
        date,
        waiting,
        firstIssuedAt,
      })),
  };
}
