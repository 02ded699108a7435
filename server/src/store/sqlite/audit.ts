import type { AuditRow } from "../../rules/records.js";
import type { Connection } from "./connection.js";
import { list } from "./list.js";
import { type AuditColumns, auditColumns, readAuditRow, writeAuditRow } from "./records.js";

/** The audit log: rows in the order in which they were kept. */
export function prepareAudit(db: Connection) {
  const insert = db.command(`
    INSERT INTO audit (business_id, key_id, at, method, path, status, ip, request_id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  // Many rows in one statement: a call for each would cost more than the rows.
  const insertAll = db.command(`
    INSERT INTO audit (business_id, key_id, at, method, path, status, ip, request_id)
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3,
           value ->> 4, value ->> 5, value ->> 6, value ->> 7
    FROM json_each(?)`);
  const newest = db.query<AuditColumns[]>(
    list(auditColumns, "audit", "WHERE business_id = ? ORDER BY position DESC LIMIT ?"),
  );

  return {
    append(row: AuditRow): void {
      insert(...writeAuditRow(row));
    },

    appendAll(rows: readonly AuditRow[]): void {
      insertAll(JSON.stringify(rows.map(writeAuditRow)));
    },

    log: (businessId: string, limit: number): AuditRow[] =>
      (newest(businessId, limit) ?? []).map(readAuditRow),
  };
}

export type Audit = ReturnType<typeof prepareAudit>;
