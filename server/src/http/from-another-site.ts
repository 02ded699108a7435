import type { Request } from "express";

/**
 * Whether a browser sent a request for a page of another site: a preflight, or what `Sec-Fetch-Site` marks so. Any
 * page can have its visitors send these, so they count as no failed sign-in. A page cannot send a key with them; what
 * comes with one counts like any other guess.
 */
export function isFromAnotherSite({ method, headers }: Request): boolean {
  if (headers.authorization !== undefined) return false;
  const site = headers["sec-fetch-site"];
  return method === "OPTIONS" || site === "cross-site" || site === "same-site";
}
