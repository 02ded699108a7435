import type { RequestHandler, Response } from "express";

/**
 * The path where browsers find the dashboard: below the path of the service's public address, which a
 * proxy may have put in front.
 */
export function rootBelow(baseUrl: string): string {
  return `${new URL(baseUrl).pathname.replace(/\/$/, "")}/dashboard`;
}

/** Notes for the pages where browsers find the dashboard. */
export function noteRoot(baseUrl: () => string): RequestHandler {
  return (_req, res, next) => {
    res.locals.dashboardRoot = rootBelow(baseUrl());
    next();
  };
}

/** The path of a page as a browser asks for it, such as `/dashboard/keys`. Empty for the first page. */
export function at(res: Response, path: string): string {
  return `${res.locals.dashboardRoot}${path}`;
}
