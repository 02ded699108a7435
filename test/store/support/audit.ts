import type { Store } from "../../../server/src/operations/store.js";
import { type AuditFilter, wholeLog } from "../../../server/src/rules/audit.js";
import type { AuditRow } from "../../../server/src/rules/records.js";

/** The store whose next change stores this row with it. */
export function audited(store: Store, row: AuditRow): Store {
  return store.audited({ row, isStored: false });
}

/** The newest rows of a log. */
export async function auditLog(
  store: Store,
  businessId: string,
  limit = 100,
): Promise<readonly AuditRow[]> {
  const page = await store.audit.page(businessId, wholeLog, { limit, after: null });
  if (page === "cursor_unknown") throw new Error("there was no cursor");
  return page.items;
}

/** All rows of a filter, read in pages of this size. */
export async function allPages(
  store: Store,
  businessId: string,
  changes: Partial<AuditFilter>,
  limit: number,
): Promise<AuditRow[]> {
  const filter = { ...wholeLog, ...changes };
  const rows: AuditRow[] = [];
  for (let after: string | null = null, first = true; first || after !== null; first = false) {
    const page = await store.audit.page(businessId, filter, { limit, after });
    if (page === "cursor_unknown") throw new Error("the store does not know its own cursor");
    rows.push(...page.items);
    after = page.nextCursor;
  }
  return rows;
}
