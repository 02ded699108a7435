import type { Admission, Attempt } from "../../rules/admission.js";
import type { AuditFilter } from "../../rules/audit.js";
import type { AuditRow } from "../../rules/records.js";
import type { WindowReport } from "../../rules/window.js";
import type { PageRequest, Part } from "./page.js";

/** Admission of API requests: keys, addresses and their windows. */
export interface AdmissionStore {
  /**
   * Reads the key, its business, the subject's window and the key's windows, decides with `decideAdmission`,
   * and stores the windows that it returns.
   */
  admit(attempt: Attempt): Promise<Admission>;

  /** The window of failed sign-ins of a subject, for responses to requests without a known key. */
  signInWindow(subject: string): Promise<WindowReport>;
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
  ): Promise<Part<AuditRow> | "cursor_unknown">;
}
