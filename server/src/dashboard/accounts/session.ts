import type { Request, Response } from "express";
import type { Logger } from "pino";
import type { Passwords } from "../../owner/password.js";
import { hashSecret, newSecret } from "../../rules/key.js";
import { newOwnerSession } from "../../rules/owner-session.js";
import type { Random } from "../../rules/ports.js";
import type { Owner } from "../../rules/records.js";
import type { Store } from "../../store/store.js";
import type { SendPage } from "../layout.js";
import { sessionCookie, sessionToken } from "./cookie.js";
import { rememberBrowser } from "./known-browser.js";
import type { SessionWatch } from "./session-watch.js";

/** The dependencies of signing in and out. */
export interface AccountDeps {
  readonly store: Store;
  readonly random: Random;
  readonly logger: Logger;
  readonly passwords: Passwords;
  readonly sessions: SessionWatch;
  readonly send: SendPage;
}

/**
 * Signs in an owner whose password was verified, with a fresh token. A session that the browser already had
 * ends. Returns false if the password has changed since, or the owner no longer exists.
 */
export async function beginSession(
  { store, random, sessions }: AccountDeps,
  req: Request,
  res: Response,
  owner: Owner,
  now: number,
): Promise<boolean> {
  const token = newSecret(random);
  const session = newOwnerSession(owner, hashSecret(token), now);
  const { passwordHash } = owner;
  if (passwordHash === null) return false;
  if (!(await store.sessions.start(owner.businessId, session, passwordHash))) return false;
  const before = sessionToken(req, res);
  if (before !== null) {
    const id = hashSecret(before);
    await store.sessions.end(id);
    sessions.ended(id);
  }
  sessionCookie.set(req, res, token);
  rememberBrowser(random, req, res, passwordHash);
  return true;
}
