import { hash } from "node:crypto";
import {
  charged,
  currentWindow,
  isBelowLimit,
  report,
  type Window,
  type WindowLimit,
} from "./window.js";

/** The limit of failed sign-ins to the dashboard, which applies per subject and per e-mail address. */
export const accountSignInLimit: WindowLimit = { name: "sign-ins", limit: 10, seconds: 600 };

/** An attempt to sign in, before the password is verified. */
export interface SignInAttempt {
  /** The subject that attempts are counted for; see `signInSubject`. */
  readonly subject: string;
  /** In normal form. The decision is the same whether or not such an account exists. */
  readonly email: string;
  /** The name of the browser, if a person has signed in to that account from it before; see `known-browser.ts`. */
  readonly browser: string | null;
}

/** The result of the admission of an attempt. */
export type SignInAdmission =
  /** The password may be verified. `now` is the store's time, which the rest of the sign-in uses. */
  | { readonly outcome: "admitted"; readonly now: number }
  | { readonly outcome: "throttled"; readonly retryAfterSeconds: number };

/**
 * The names of the windows of an attempt. A user may type anything into the e-mail field, even a password, so
 * the name contains its hash. A browser from which the person has signed in before has its own window instead
 * of the one of the e-mail address: strangers who fill that window do not lock that person out, and an attacker
 * with the known browser gets no additional attempts.
 */
export function signInWindowsOf({ subject, email, browser }: SignInAttempt) {
  const whose = browser === null ? `email ${hashed(email)}` : `browser ${hashed(browser)}`;
  return { address: `sign-in address ${subject}`, email: `sign-in ${whose}` };
}

function hashed(text: string): string {
  return hash("sha256", text, "hex");
}

/**
 * Charges one window of an attempt. An attempt is charged before its password is verified, so that concurrent attempts
 * cannot exceed the limit. {@link forgiven} reverts the charge of a successful attempt. `window`: the one to store; null
 * if it stays unchanged.
 */
export function decideSignIn(
  before: Window | null,
  now: number,
): { readonly admission: SignInAdmission; readonly window: Window | null } {
  const window = currentWindow(before, accountSignInLimit.seconds, now);
  if (!isBelowLimit(window, accountSignInLimit)) {
    const { resetSeconds } = report(window, accountSignInLimit, now);
    return { admission: { outcome: "throttled", retryAfterSeconds: resetSeconds }, window: null };
  }
  return { admission: { outcome: "admitted", now }, window: charged(window) };
}

/** A window without the charge of a successful attempt. A window that began after the charge is unchanged. */
export function forgiven(window: Window, chargedAt: number): Window {
  const { startedAt, count } = window;
  return startedAt <= chargedAt && count > 0 ? { startedAt, count: count - 1 } : window;
}
