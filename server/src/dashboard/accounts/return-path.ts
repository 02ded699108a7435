/**
 * Where to go after a sign-in: the wanted path when it lies below the dashboard's own, else the
 * dashboard. It may come from anybody, so it is read as a browser would read it, and never leads
 * elsewhere.
 */
export function returnPath(root: string, wanted: unknown): string {
  const here = "http://here.invalid";
  if (typeof wanted !== "string" || !URL.canParse(wanted, here)) return root;
  const { origin, pathname, search } = new URL(wanted, here);
  const below = pathname === root || pathname.startsWith(`${root}/`);
  return origin === here && below ? pathname + search : root;
}
