import type { AuditFilter } from "../../rules/audit.js";
import type { AuditRow } from "../../rules/records.js";
import type { PageRequest } from "./page.js";

/** Part of the audit log. */
export interface AuditPage {
  readonly rows: readonly AuditRow[];
  /** The start of the next page; opaque. Null if there are no older rows. */
  readonly next: string | null;
}

/** The audit log. */
export interface AuditStore {
  /** Stores rows, in order. */
  append(rows: readonly AuditRow[]): Promise<void>;
  /**
   * The rows that match, newest first. Of two rows with the same time, the one stored later comes first. One
   * step reads a limited part of the log, so a result with a `next` may have fewer rows than the limit, or
   * none.
   */
  page(
    businessId: string,
    filter: AuditFilter,
    page: PageRequest,
  ): Promise<AuditPage | "cursor_unknown">;
}
