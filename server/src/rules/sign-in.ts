import { hash } from "node:crypto";
import {
  charged,
  currentWindow,
  isBelowLimit,
  report,
  type Window,
  type WindowLimit,
} from "./window.js";

/** Failed sign-ins to the dashboard, from one address and with one e-mail address each. */
export const ownerSignInLimit: WindowLimit = { name: "owner-sign-ins", limit: 10, seconds: 600 };

/** An attempt to sign in, before the password is checked. */
export interface SignInAttempt {
  /** Who attempts are counted for; see `signInSubject`. */
  readonly subject: string;
  /** In normal form. Whether there is such an owner makes no difference. */
  readonly email: string;
  /** The browser it comes from, if that owner has signed in there before; see `known-browser.ts`. */
  readonly browser: string | null;
}

/** The names of an attempt's two windows. */
export interface SignInWindows<Value> {
  readonly address: Value;
  readonly email: Value;
}

/** How an attempt begins. */
export type SignInAdmission =
  /** The password may be looked at. `now` is the store's time, by which the rest of the sign-in goes. */
  | { readonly outcome: "admitted"; readonly now: number }
  | { readonly outcome: "throttled"; readonly retryAfterSeconds: number };

/** The decision and the windows to keep; a window that is absent stays as it was. */
export interface SignInDecision extends Partial<SignInWindows<Window>> {
  readonly admission: SignInAdmission;
}

/**
 * Under which names the windows of an attempt are kept. What was typed into the field of the e-mail
 * address may be anything, a password too, so it is kept as its hash. A browser in which the owner has
 * signed in before has a window of its own in the e-mail's place: strangers who fill the one of the
 * e-mail address do not keep the owner out of it, and an attacker with that browser gets no more attempts.
 */
export function signInWindowsOf({ subject, email, browser }: SignInAttempt): SignInWindows<string> {
  const whose = browser === null ? `email ${hashed(email)}` : `browser ${hashed(browser)}`;
  return { address: `address ${subject}`, email: whose };
}

function hashed(text: string): string {
  return hash("sha256", text, "hex");
}

/**
 * Checks the window of the address, then that of the e-mail address. An attempt is charged before its
 * password is checked, so that concurrent attempts cannot exceed the limit. {@link forgiven} takes back the
 * charge of an attempt that succeeds. An attempt that its e-mail address's window refuses remains charged to
 * the IP address.
 */
export function decideSignIn(windows: SignInWindows<Window | null>, now: number): SignInDecision {
  const address = currentWindow(windows.address, ownerSignInLimit.seconds, now);
  if (!isBelowLimit(address, ownerSignInLimit)) return { admission: throttled(address, now) };
  const charge = { address: charged(address) };
  const email = currentWindow(windows.email, ownerSignInLimit.seconds, now);
  if (!isBelowLimit(email, ownerSignInLimit))
    return { admission: throttled(email, now), ...charge };
  return { admission: { outcome: "admitted", now }, ...charge, email: charged(email) };
}

function throttled(window: Window, now: number): SignInAdmission {
  const { resetSeconds } = report(window, ownerSignInLimit, now);
  return { outcome: "throttled", retryAfterSeconds: resetSeconds };
}

/** A window without the charge of an attempt that succeeded; one that began after the charge stays. */
export function forgiven(window: Window, chargedAt: number): Window {
  const { startedAt, count } = window;
  return startedAt <= chargedAt && count > 0 ? { startedAt, count: count - 1 } : window;
}
