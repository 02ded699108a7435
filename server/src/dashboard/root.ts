import type { RequestHandler, Response } from "express";

/**
 * Notes where browsers find the dashboard: below the path of the service's public address, which a
 * proxy may have put in front.
 */
export function noteRoot(baseUrl: () => string): RequestHandler {
  return (_req, res, next) => {
    res.locals.dashboardRoot = `${new URL(baseUrl()).pathname.replace(/\/$/, "")}/dashboard`;
    next();
  };
}

/** The path of a page as a browser asks for it, such as `/dashboard/keys`. Empty for the first page. */
export function at(res: Response, path: string): string {
  return `${res.locals.dashboardRoot}${path}`;
}
