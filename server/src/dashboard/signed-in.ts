import type { Response } from "express";
import type { SignedIn } from "../store/port/sessions.js";

/** Who asks, for the pages behind `requireOwner`. Throws where nobody was required to be signed in. */
export function signedIn(res: Response): SignedIn {
  const found = knownOwner(res);
  if (!found) throw new Error("this route does not require an owner");
  return found;
}

/** Who asks, or null before, and without, a sign-in. */
export function knownOwner(res: Response): SignedIn | null {
  return (res.locals.signedIn as SignedIn | undefined) ?? null;
}

/** For `requireOwner` alone: notes whose session a request came with. */
export function setSignedIn(res: Response, signedIn: SignedIn): void {
  res.locals.signedIn = signedIn;
}
