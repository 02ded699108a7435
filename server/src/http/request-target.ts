import type { RequestHandler } from "express";
import { keyLocation } from "../rules/key.js";

/**
 * The path and query in the target of a request. HTTP allows an absolute URL as the target. Express cannot parse all of
 * them, and answers the others itself, before any middleware. A target has no fragment: Express would drop it, and read
 * the rest as browsers do, with \\ as /.
 */
export function pathOfTarget(target: string): string {
  const [host = ""] = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i.exec(target) ?? [];
  if (keyLocation(host) !== null) return `/${target}`; // refused like any path with a key
  const path = target.slice(host.length).replaceAll("#", "%23");
  return path.startsWith("/") ? path : `/${path}`;
}

/**
 * Makes a path that is invalid percent-encoding literal, so that no id in it is valid. Express fails on such a path before
 * the method and the scope are checked.
 */
export const decodablePath: RequestHandler = (req, _res, next) => {
  const { path, url } = req;
  if (!isDecodable(path)) req.url = path.replaceAll("%", "%25") + url.slice(path.length);
  next();
};

function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== ""; // used, because the bundler of the test kit drops an unused call
  } catch {
    return false;
  }
}
