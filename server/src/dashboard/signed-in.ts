import type { Response } from "express";
import type { SignedIn } from "../store/port/owners.js";

/** The signed-in account, for the pages behind `requireOwner`. Throws on a route that requires no sign-in. */
export function signedIn(res: Response): SignedIn {
  const found = knownOwner(res);
  if (!found) throw new Error("this route does not require an owner");
  return found;
}

/** The signed-in account, or null if there is none. */
export function knownOwner(res: Response): SignedIn | null {
  return (res.locals.signedIn as SignedIn | undefined) ?? null;
}

/** For `requireOwner` alone: stores the account of the request's session. */
export function setSignedIn(res: Response, signedIn: SignedIn): void {
  res.locals.signedIn = signedIn;
}
