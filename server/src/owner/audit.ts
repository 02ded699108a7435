import type { AuditRow } from "../rules/records.js";
import type { Store } from "../store/store.js";
import { findBusiness } from "./business.js";

/** The newest rows of a business's audit log, newest first. Throws `OwnerError` when there is no such business. */
export async function auditLog(
  store: Store,
  slug: string,
  limit: number,
): Promise<readonly AuditRow[]> {
  const business = await findBusiness(store, slug);
  return store.auditLog(business.id, limit);
}
