import type { RequestHandler, Response } from "express";
import { newAccountSession } from "../../rules/account-session.js";
import { hashSecret, newSecret } from "../../rules/key.js";
import type { Account } from "../../rules/records.js";
import { signedIn } from "../signed-in.js";
import { type DashboardDeps, done, redirect } from "../visit.js";
import { ChangeAudit } from "./change-audit.js";
import { rememberBrowser } from "./known-browser.js";
import { sessionCookie, sessionToken } from "./require-account.js";

/**
 * Signs in an account whose password was verified, with a fresh token. A session that the browser already had
 * ends. Returns false if the password has changed since, or the account no longer exists.
 */
export async function beginSession(
  { store, random }: DashboardDeps,
  res: Response,
  account: Account,
  now: number,
): Promise<boolean> {
  const token = newSecret(random);
  const session = newAccountSession(account, hashSecret(token), now);
  const { passwordHash } = account;
  if (passwordHash === null) return false;
  if (!(await store.sessions.start(account.businessId, session, passwordHash))) return false;
  const before = sessionToken(res);
  if (before !== null) await store.sessions.end(hashSecret(before));
  sessionCookie.set(res, token);
  rememberBrowser(random, res, passwordHash);
  return true;
}

/** `POST /sign-out`, with `everywhere=yes` for every browser in which the account is signed in. */
export function signOut({ store, logger }: DashboardDeps): RequestHandler {
  return async (req, res) => {
    const { account, sessionId } = signedIn(res);
    const audit = new ChangeAudit(res, req.path, store.now());
    const everywhere = req.body?.everywhere === "yes";
    if (everywhere) await store.sessions.endAll(account.businessId, account.id);
    else await store.sessions.end(sessionId);
    await store.audit.append([audit.row]);
    sessionCookie.clear(res);
    logger.info({ accountId: account.id, everywhere }, "an account signed out");
    const where = everywhere ? " everywhere" : "";
    redirect(res, done(`You are signed out${where}.`, "/sign-in"));
  };
}
