import type { SignInAdmission, SignInAttempt } from "../../rules/sign-in.js";

/** The windows of failed sign-ins of owners. */
export interface SignInStore {
  /** Decides by `decideSignIn`, and keeps the windows it returns. */
  admit(attempt: SignInAttempt): Promise<SignInAdmission>;
  /** Takes back what a successful attempt was charged; `chargedAt` is the time in its admission. */
  forgive(attempt: SignInAttempt, chargedAt: number): Promise<void>;
}
