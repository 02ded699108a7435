import type { SignInAdmission, SignInAttempt } from "../../rules/sign-in.js";

/** The windows of failed sign-ins of owners. */
export interface SignInStore {
  /** Decides with `decideSignIn` and stores the windows that it returns. */
  admit(attempt: SignInAttempt): Promise<SignInAdmission>;
  /** Reverts the charge of a successful attempt; `chargedAt` is the time of its admission. */
  forgive(attempt: SignInAttempt, chargedAt: number): Promise<void>;
}
