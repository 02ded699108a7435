import { setImmediate } from "node:timers/promises";
import type { Store } from "../operations/store.js";
import { type AuditFilter, wholeLog } from "../rules/audit.js";
import type { Page, PageRequest } from "../rules/list.js";
import type { AuditRow } from "../rules/records.js";
import { findBusiness } from "./business.js";

/** The number of rows per page when the whole log is read. */
const batchSize = 1_000;

/** The maximum number of reads of the store for one page, which bounds a search without matches. */
const mostReads = 50;

/**
 * A page of a business's audit log, newest first. It may have fewer rows than the limit, or none, although `nextCursor` is
 * not null and older rows match.
 */
export async function searchAudit(
  store: Store,
  businessId: string,
  filter: AuditFilter,
  { limit, after }: PageRequest,
): Promise<Page<AuditRow> | "cursor_unknown"> {
  const rows: AuditRow[] = [];
  let next = after;
  for (let reads = 1; ; reads++) {
    const found = await store.audit.page(businessId, filter, {
      limit: limit - rows.length,
      after: next,
    });
    if (found === "cursor_unknown") return found;
    rows.push(...found.items);
    next = found.nextCursor;
    if (rows.length === limit || next === null || reads === mostReads) {
      return { items: rows, nextCursor: next };
    }
    await setImmediate(); // lets other requests run, because an embedded store responds without waiting
  }
}

/** All rows that match the filter, newest first, in parts. */
export async function* auditRows(
  store: Store,
  businessId: string,
  filter: AuditFilter,
): AsyncIterable<readonly AuditRow[]> {
  for (let after: string | null = null, more = true; more; ) {
    const page = await searchAudit(store, businessId, filter, { limit: batchSize, after });
    if (page === "cursor_unknown") throw new Error("the store does not know its own cursor");
    if (page.items.length > 0) yield page.items;
    after = page.nextCursor;
    more = after !== null;
  }
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
