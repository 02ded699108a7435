import { parseCookie } from "cookie";
import type { Response } from "express";
import { dashboardPath, isHttps } from "./request.js";

export const halfAYearMs = 182 * 86_400_000;

interface HostCookieOptions {
  /** `lax`: also sent with a request that follows a link from another site. */
  readonly sameSite: "lax" | "strict";
  /** Milliseconds. */
  readonly maxAge: number;
}

/**
 * A cookie that no script can read. With https it has the `__Host-` prefix, so that only this exact host,
 * over https, can set it.
 */
export function hostCookie(name: string, { sameSite, maxAge }: HostCookieOptions) {
  const nameFor = (res: Response) => (isHttps(res) ? `__Host-${name}` : name);
  const attributes = (res: Response) => {
    const secure = isHttps(res);
    // The prefix requires the path `/`.
    return { httpOnly: true, sameSite, secure, path: secure ? "/" : dashboardPath(res, "") };
  };
  return {
    /** The value in a request, or null. */
    read: (res: Response) => parseCookie(res.req.headers.cookie ?? "")[nameFor(res)] ?? null,
    set: (res: Response, value: string) =>
      res.cookie(nameFor(res), value, { ...attributes(res), maxAge }),
    clear: (res: Response) => res.clearCookie(nameFor(res), attributes(res)),
  };
}
