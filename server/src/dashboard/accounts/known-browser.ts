import type { Response } from "express";
import type { Store } from "../../operations/store.js";
import { browserOf, newBrowserToken } from "../../rules/known-browser.js";
import type { Random } from "../../rules/ports.js";
import { halfAYearMs, hostCookie } from "../host-cookie.js";

/**
 * Grants no access. It outlives the session, so that the failed attempts of strangers cannot lock a person
 * out of their own browser.
 */
const cookie = hostCookie("queue_api_browser", { sameSite: "strict", maxAge: halfAYearMs });

/** Notes in a browser that the account with this password hash has signed in there. */
export function rememberBrowser(random: Random, res: Response, passwordHash: string): void {
  cookie.set(res, newBrowserToken(random, passwordHash));
}

/**
 * The name of the browser, if an account with this e-mail address has signed in there with its current
 * password.
 */
export async function knownBrowser(
  store: Pick<Store, "accounts">,
  res: Response,
  email: string,
): Promise<string | null> {
  const token = cookie.read(res);
  if (token === null) return null;
  for (const { passwordHash } of await store.accounts.byEmail(email)) {
    const browser = passwordHash === null ? null : browserOf(token, passwordHash);
    if (browser !== null) return browser;
  }
  return null;
}
