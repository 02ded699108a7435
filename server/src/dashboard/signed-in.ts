import type { Response } from "express";
import type { SignedIn } from "../operations/sessions.js";

/** The signed-in account, and its session. */
export interface Session extends SignedIn {
  /** The hash of its token. */
  readonly sessionId: string;
  /** What each form of its pages carries. */
  readonly formToken: string;
}

/** The session of a request, for the pages behind `requireAccount`. Throws on a route that requires no sign-in. */
export function signedIn(res: Response): Session {
  const found = knownSession(res);
  if (!found) throw new Error("this route does not require an account");
  return found;
}

/** The session of a request, or null if nobody is signed in. */
export function knownSession(res: Response): Session | null {
  return (res.locals.signedIn as Session | undefined) ?? null;
}

/** For `requireAccount` alone: stores the session of a request. */
export function setSignedIn(res: Response, session: Session): void {
  res.locals.signedIn = session;
}
