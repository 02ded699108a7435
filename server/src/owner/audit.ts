import { everyPage } from "../operations/every-page.js";
import type { Store } from "../operations/store.js";
import { type AuditFilter, wholeLog } from "../rules/audit.js";
import type { AuditRow } from "../rules/records.js";
import { findBusiness } from "./business.js";

/** The number of rows per page when the whole log is read. */
const batchSize = 1_000;

/** The maximum number of rows that a search of an owner looks through for one page: a second or two of reading. */
export const searchReach = 500_000;

/** All rows that match the filter, newest first, page by page. */
export function auditRows(
  store: Store,
  businessId: string,
  filter: AuditFilter,
): AsyncIterable<readonly AuditRow[]> {
  return everyPage(async (after) => {
    const asked = { limit: batchSize, after };
    const page = await store.audit.page(businessId, filter, asked, searchReach);
    if (page === "cursor_unknown") throw new Error("the store does not know its own cursor");
    return page;
  });
}

/** The newest rows of a business's audit log, newest first. Throws `OwnerError` if the business does not exist. */
export async function auditLog(
  store: Store,
  slug: string,
  limit: number,
): Promise<readonly AuditRow[]> {
  const business = await findBusiness(store, slug);
  const rows: AuditRow[] = [];
  for await (const some of auditRows(store, business.id, wholeLog)) {
    rows.push(...some.slice(0, limit - rows.length));
    if (rows.length === limit) break;
  }
  return rows;
}
