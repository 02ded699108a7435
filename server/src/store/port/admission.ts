import type { Admission, Attempt } from "../../rules/admission.js";
import type { WindowReport } from "../../rules/window.js";

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
