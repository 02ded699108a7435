import type { Request, RequestHandler, Response } from "express";

/**
 * The path where browsers find the dashboard: below the path of the service's public address, which a
 * proxy may have put in front.
 */
export function rootBelow(baseUrl: string): string {
  return `${new URL(baseUrl).pathname.replace(/\/$/, "")}/dashboard`;
}

/** Notes for the pages where, and how, browsers find the dashboard. */
export function noteRoot(baseUrl: () => string): RequestHandler {
  return (_req, res, next) => {
    const url = baseUrl();
    res.locals.dashboardRoot = rootBelow(url);
    res.locals.isHttpsRoot = url.startsWith("https:");
    next();
  };
}

/** Whether a browser reaches the dashboard by https, perhaps by way of a proxy. */
export function isHttps(req: Request, res: Response): boolean {
  // `req.secure` believes a proxy only as far as `TRUST_PROXY` says.
  return req.secure || res.locals.isHttpsRoot === true;
}

/** The path of a page as a browser asks for it, such as `/dashboard/keys`. Empty for the first page. */
export function at(res: Response, path: string): string {
  return `${res.locals.dashboardRoot}${path}`;
}
