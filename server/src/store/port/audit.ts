import type { AuditFilter } from "../../rules/audit.js";
import type { AuditRow } from "../../rules/records.js";
import type { PageRequest } from "./page.js";

/** Part of the audit log. */
export interface AuditPage {
  readonly rows: readonly AuditRow[];
  /** Where the next page begins; opaque. Null when there is nothing older. */
  readonly next: string | null;
}

/** The audit log. */
export interface AuditStore {
  /** Keeps rows, in order. */
  append(rows: readonly AuditRow[]): Promise<void>;
  /**
   * The rows that match, newest first; of two with the same time, first the one that was kept later. One
   * step reads a bounded part of the log: fewer rows than the limit, or none, may come with a `next`.
   */
  page(
    businessId: string,
    filter: AuditFilter,
    page: PageRequest,
  ): Promise<AuditPage | "cursor_unknown">;
}
