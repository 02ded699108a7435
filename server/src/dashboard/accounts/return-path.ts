import { longestValue } from "../longest-value.js";

/**
 * Where to go after a sign-in: the wanted path if it lies below the dashboard, else the dashboard. The
 * path is untrusted, so it is parsed as a browser parses it, and never leads to another site.
 */
export function returnPath(root: string, wanted: unknown): string {
  const here = "http://here.invalid";
  if (typeof wanted !== "string" || !URL.canParse(wanted, here)) return root;
  const { origin, pathname, search } = new URL(wanted, here);
  const below = pathname === root || pathname.startsWith(`${root}/`);
  const path = pathname + search;
  return origin === here && below && path.length <= longestValue ? path : root;
}
