/**
 * The path and query in the target of a request. The target can be an absolute URL, as for a proxy: every server accepts
 * that, and it needs no Host header to agree with. Express does not read all of them, and answers the others itself.
 */
export function pathOf(target: string): string {
  const path = target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, "");
  return path.startsWith("/") ? path : `/${path}`;
}
