import type { Request, RequestHandler } from "express";
import { PageError } from "../page-error.js";
import { isChange } from "../request.js";

/**
 * The first guard against cross-site request forgery (CSRF); the form token is the second. Accepts a change only if
 * `Origin` and `Sec-Fetch-Site` show that one of our own pages sent it. Some browsers and addresses omit one of the two
 * headers. Pages cannot set either of them. `publicUrl`: `BASE_URL`, whose origin is then the only accepted one; null
 * if it is not set.
 */
export function sameOriginOnly(publicUrl: string | null): RequestHandler {
  const ownOrigin = publicUrl === null ? null : new URL(publicUrl).origin;
  return (req, _res, next) => {
    if (!isChange(req) || comesFromOwnPage(req, ownOrigin)) return next();
    const place = ownOrigin === null ? "the dashboard" : `the dashboard at ${ownOrigin}`;
    const advice = `This change did not come from a page of ${place}, so nothing was changed.`;
    throw new PageError(403, "Refused", advice);
  };
}

function comesFromOwnPage(req: Request, ownOrigin: string | null): boolean {
  const site = req.get("Sec-Fetch-Site");
  if (site !== undefined && site !== "same-origin") return false;
  const origin = req.get("Origin") ?? "";
  if (!URL.canParse(origin)) return site !== undefined; // absent, or "null"
  if (ownOrigin !== null) return origin === ownOrigin;
  return site !== undefined || new URL(origin).host === req.host;
}
