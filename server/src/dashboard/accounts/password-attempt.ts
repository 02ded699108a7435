import type { Response } from "express";
import { contextOf } from "../../http/context.js";
import type { DashboardDeps } from "../visit.js";
import { knownBrowser } from "./known-browser.js";

/**
 * Charges an attempt to enter a password to the client and to the account with this e-mail address, and verifies it.
 * The charge is taken back if the password was right, or if `verify` fails with an error. All password forms of the
 * dashboard share these limits, so a second form allows no extra guesses. `verify`: null for a wrong password; `now`
 * is the store's time. A throttled attempt has advice, to respond with 429.
 */
export async function attemptPassword<Result>(
  { store, logger }: Pick<DashboardDeps, "store" | "logger">,
  res: Response,
  email: string,
  verify: (now: number) => Promise<Result | null>,
): Promise<{ readonly advice: string } | { readonly result: Result | null }> {
  const { subject, requestId } = contextOf(res);
  const attempt = { subject, email, browser: await knownBrowser(store, res, email) };
  const admission = await store.signIns.admit(attempt);
  if (admission.outcome === "throttled") {
    const seconds = admission.retryAfterSeconds;
    logger.warn({ requestId }, "sign-ins are throttled");
    res.setHeader("Retry-After", seconds);
    return { advice: `Too many attempts. Try again in ${inMinutes(seconds)}.` };
  }
  let isWrong = false;
  try {
    const result = await verify(admission.now);
    isWrong = result === null;
    return { result };
  } finally {
    if (!isWrong) await store.signIns.forgive(attempt, admission.now);
  }
}

function inMinutes(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return minutes === 1 ? "a minute" : `${minutes} minutes`;
}
