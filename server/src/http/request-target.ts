import { placeOfKey } from "../rules/key.js";

/**
 * The path and query in the target of a request. The target can be an absolute URL, as for a proxy: every server accepts
 * that, and it needs no Host header to agree with. Express does not read all of them, and answers the others itself.
 */
export function pathOf(target: string): string {
  const [host = ""] = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i.exec(target) ?? [];
  if (placeOfKey(host) !== null) return `/${target}`; // refused like any path with a key
  const path = target.slice(host.length);
  return path.startsWith("/") ? path : `/${path}`;
}
