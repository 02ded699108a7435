import type { Request, Response } from "express";
import { contextOf } from "../../endpoints/request-context.js";
import { knownBrowser } from "./known-browser.js";
import type { AccountDeps } from "./session.js";

/** A password that somebody typed, before it is looked at. */
export type PasswordAttempt =
  | {
      readonly outcome: "admitted";
      /** The store's time. */
      readonly now: number;
      /** Takes the charge back: the password was right. */
      forgive(): Promise<void>;
      /** What comes of looking at the password. If that fails, nobody told whether it was right. */
      orForgiven<Result>(looking: Promise<Result>): Promise<Result>;
    }
  | { readonly outcome: "throttled"; readonly advice: string };

/**
 * Charges an attempt to whoever asks, and to the account with this e-mail address, wherever in the
 * dashboard the password was typed: so it cannot be guessed at one place more often than at another.
 * One that is throttled is answered by 429, with what is returned as its advice.
 */
export async function attemptPassword(
  { store, logger }: Pick<AccountDeps, "store" | "logger">,
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
    const advice = `That were too many attempts. Try again in ${inMinutes(seconds)}.`;
    return { outcome: "throttled", advice };
  }
  const { now } = admission;
  const forgive = () => store.signIns.forgive(attempt, now);
  return {
    outcome: "admitted",
    now,
    forgive,
    orForgiven: (looking) =>
      looking.catch(async (error) => {
        await forgive();
        throw error;
      }),
  };
}

function inMinutes(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return minutes === 1 ? "a minute" : `${minutes} minutes`;
}
