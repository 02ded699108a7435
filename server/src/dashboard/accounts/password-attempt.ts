import type { Request, Response } from "express";
import { contextOf } from "../../http/context.js";
import type { DashboardDeps } from "../visit.js";
import { knownBrowser } from "./known-browser.js";

/** An attempt to enter a password, before the password is verified. */
export type PasswordAttempt =
  | {
      readonly outcome: "admitted";
      /** The store's time. */
      readonly now: number;
      /** Takes the charge back because the password was right. */
      forgive(): Promise<void>;
      /** Awaits the verification. If it fails with an error, the charge is taken back too. */
      orForgive<Result>(verification: Promise<Result>): Promise<Result>;
    }
  | { readonly outcome: "throttled"; readonly advice: string };

/**
 * Charges an attempt to the client and to the account with this e-mail address. All password forms of the
 * dashboard share these limits, so a second form allows no extra guesses. The caller responds to a throttled
 * attempt with 429 and the returned advice.
 */
export async function attemptPassword(
  { store, logger }: Pick<DashboardDeps, "store" | "logger">,
  req: Request,
  res: Response,
  email: string,
): Promise<PasswordAttempt> {
  const { subject, requestId } = contextOf(res);
  const browser = await knownBrowser(store, req, res, email);
  const attempt = { subject, email, browser };
  const admission = await store.signIns.admit(attempt);
  if (admission.outcome === "throttled") {
    const seconds = admission.retryAfterSeconds;
    logger.warn({ requestId }, "sign-ins are throttled");
    res.setHeader("Retry-After", seconds);
    const advice = `Too many attempts. Try again in ${inMinutes(seconds)}.`;
    return { outcome: "throttled", advice };
  }
  const { now } = admission;
  const forgive = () => store.signIns.forgive(attempt, now);
  return {
    outcome: "admitted",
    now,
    forgive,
    orForgive: (verification) =>
      verification.catch(async (error) => {
        await forgive();
        throw error;
      }),
  };
}

function inMinutes(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return minutes === 1 ? "a minute" : `${minutes} minutes`;
}
