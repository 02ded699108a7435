import {
  accountSignInLimit,
  decideSignIn,
  forgiven,
  type SignInAdmission,
  type SignInAttempt,
  signInWindowsOf,
} from "../rules/sign-in.js";
import type { Port, RunOptions, Tx } from "../store/port.js";
import { keepWindows } from "./windows.js";

/** The windows of failed sign-ins to the dashboard. */
export const signIns = {
  /**
   * Charges the window of the subject, then that of the e-mail address. An attempt that the second one refuses stays
   * charged to the subject.
   */
  admit(port: Port) {
    return async (attempt: SignInAttempt): Promise<SignInAdmission> => {
      const { address, email } = signInWindowsOf(attempt);
      const admitted = await port.run((tx) => charge(tx, address), runOptions(address));
      if (admitted.outcome !== "admitted") return admitted;
      return port.run((tx) => charge(tx, email), runOptions(email));
    };
  },

  /** Reverts the charge of a successful attempt; `chargedAt` is the time of its admission. */
  forgive(port: Port) {
    return async (attempt: SignInAttempt, chargedAt: number): Promise<void> => {
      for (const id of Object.values(signInWindowsOf(attempt))) {
        await port.run((tx) => forgive(tx, id, chargedAt), runOptions(id));
      }
    };
  },
};

const runOptions = (id: string): RunOptions => ({ mutex: id, isDurable: false });

async function charge(tx: Tx, id: string): Promise<SignInAdmission> {
  const before = await tx.find("windows", { id });
  const { admission, window } = decideSignIn(before?.requests ?? null, tx.now);
  if (window)
    keepWindows(tx, before, { id, requests: window, writes: null }, accountSignInLimit.seconds);
  return admission;
}

async function forgive(tx: Tx, id: string, chargedAt: number): Promise<void> {
  const before = await tx.find("windows", { id });
  if (!before) return;
  const requests = forgiven(before.requests, chargedAt);
  keepWindows(tx, before, { id, requests, writes: null }, accountSignInLimit.seconds);
}
