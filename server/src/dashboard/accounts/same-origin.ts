import type { Request, RequestHandler } from "express";
import { PageRefusal } from "../errors.js";

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/** Whether a request may change something. */
export function isChange(req: Request): boolean {
  return !safeMethods.has(req.method);
}

/**
 * Lets a change pass only when the browser says that one of our own pages asks for it: by
 * `Sec-Fetch-Site`, and from browsers or addresses without it by `Origin`. No browser lets a page say
 * either itself. `baseUrl`: address of the service as browsers know it.
 */
export function ownPagesOnly(baseUrl: () => string): RequestHandler {
  return (req, _res, next) => {
    if (!isChange(req) || comesFromOwnPage(req, baseUrl())) return next();
    const advice = "This change did not come from a page of the dashboard, so nothing was changed.";
    throw new PageRefusal(403, "Refused", advice);
  };
}

function comesFromOwnPage(req: Request, baseUrl: string): boolean {
  const site = req.get("Sec-Fetch-Site");
  if (site !== undefined) return site === "same-origin";
  const origin = req.get("Origin") ?? "";
  if (!URL.canParse(origin)) return false; // absent, or "null"
  const { host } = new URL(origin);
  return host === req.host || host === new URL(baseUrl).host;
}
