import { keyLocation } from "../rules/key.js";

/**
 * The path and query in the target of a request. HTTP allows an absolute URL as the target. Express cannot parse all of
 * them, and answers the others itself, before any middleware.
 */
export function pathOfTarget(target: string): string {
  const [host = ""] = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i.exec(target) ?? [];
  if (keyLocation(host) !== null) return `/${target}`; // refused like any path with a key
  const path = target.slice(host.length);
  return path.startsWith("/") ? path : `/${path}`;
}
