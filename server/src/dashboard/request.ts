import type { Request, RequestHandler, Response } from "express";

/** Stores the path and the scheme by which browsers reach the dashboard, for the pages. */
export function noteRoot(baseUrl: () => string): RequestHandler {
  return (_req, res, next) => {
    const url = baseUrl();
    // Below the path of the service's public URL, which a proxy may have added.
    res.locals.dashboardRoot = `${new URL(url).pathname.replace(/\/$/, "")}/dashboard`;
    res.locals.isHttpsRoot = url.startsWith("https:");
    next();
  };
}

/** Whether a browser reaches the dashboard by https, directly or through a proxy. */
export function isHttps(res: Response): boolean {
  // `req.secure` trusts only the proxies in `TRUST_PROXY`.
  return res.req.secure || res.locals.isHttpsRoot === true;
}

/** The path of a page as browsers request it, such as `/dashboard/keys`. `path`: empty for the first page. */
export function dashboardPath(res: Response, path: string): string {
  return `${res.locals.dashboardRoot}${path}`;
}

const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/** Whether the method of a request may change something. */
export function isChange(req: Request): boolean {
  return !safeMethods.has(req.method);
}

/** Whether a page's script sent the request, to replace parts of the page with the response. */
export function isByScript(req: Pick<Request, "get">): boolean {
  return req.get("X-Requested-With") === "script";
}
