import type { Store } from "../../../server/src/operations/store.js";
import { wholeLog } from "../../../server/src/rules/audit.js";
import type { AuditRow } from "../../../server/src/rules/records.js";

/** The store whose next change stores this row with it. */
export function audited(store: Store, row: AuditRow): Store {
  return store.audited({ row, isStored: false });
}

/** The newest rows of a log. */
export async function auditLog(store: Store, businessId: string): Promise<readonly AuditRow[]> {
  const page = await store.audit.page(businessId, wholeLog, { limit: 100, after: null });
  if (page === "cursor_unknown") throw new Error("there was no cursor");
  return page.items;
}
