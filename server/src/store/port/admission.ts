import type { Admission, Attempt } from "../../rules/admission.js";
import type { WindowReport } from "../../rules/window.js";

/** Admission of API requests: keys, addresses and their windows. */
export interface AdmissionStore {
  /**
   * Reads the key, its business, the address's window and the key's windows, decides by
   * `decideAdmission`, and keeps the windows it returns.
   */
  admit(attempt: Attempt): Promise<Admission>;

  /** The window of failed sign-ins of an address, for answers that no key is known for. */
  signInWindow(subject: string): Promise<WindowReport>;
}
