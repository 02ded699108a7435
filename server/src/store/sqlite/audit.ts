import type { AuditRow } from "../../rules/records.js";
import type { Connection } from "./connection.js";
import { list } from "./list.js";
import { type AuditColumns, auditColumns, readAuditRow } from "./records.js";

/** The audit log: rows in the order in which they were kept. */
export function prepareAudit(db: Connection) {
  const insert = db.command(`
    INSERT INTO audit (business_id, key_id, at, method, path, status, ip, request_id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  const newest = db.query<AuditColumns[]>(
    list(auditColumns, "audit", "WHERE business_id = ? ORDER BY position DESC LIMIT ?"),
  );

  return {
    append(row: AuditRow): void {
      const { businessId, keyId, at, method, path, status, ip, requestId } = row;
      insert(businessId, keyId, at, method, path, status, ip, requestId);
    },

    log: (businessId: string, limit: number): AuditRow[] =>
      (newest(businessId, limit) ?? []).map(readAuditRow),
  };
}

export type Audit = ReturnType<typeof prepareAudit>;
