import type { Request, Response } from "express";
import type { Store } from "../../operations/store.js";
import { browserOf, newBrowserToken } from "../../rules/known-browser.js";
import type { Random } from "../../rules/ports.js";
import { HostCookie } from "../host-cookie.js";

const halfAYearMs = 182 * 86_400_000;

/**
 * Grants no access. It outlives the session, so that the failed attempts of strangers cannot lock a person
 * out of their own browser.
 */
const cookie = new HostCookie("queue_api_browser", { sameSite: "strict", maxAge: halfAYearMs });

/** Notes in a browser that the account with this password hash has signed in there. */
export function rememberBrowser(
  random: Random,
  req: Request,
  res: Response,
  passwordHash: string,
): void {
  cookie.set(req, res, newBrowserToken(random, passwordHash));
}

/**
 * The name of the browser, if an account with this e-mail address has signed in there with its current
 * password.
 */
export async function knownBrowser(
  store: Pick<Store, "accounts">,
  req: Request,
  res: Response,
  email: string,
): Promise<string | null> {
  const token = cookie.read(req, res);
  if (token === null) return null;
  for (const { passwordHash } of await store.accounts.byEmail(email)) {
    const browser = passwordHash === null ? null : browserOf(token, passwordHash);
    if (browser !== null) return browser;
  }
  return null;
}
