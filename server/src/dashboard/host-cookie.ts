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
export class HostCookie {
  readonly #name: string;
  readonly #options: HostCookieOptions;

  constructor(name: string, options: HostCookieOptions) {
    this.#name = name;
    this.#options = options;
  }

  /** The value in a request, or null. */
  read(res: Response): string | null {
    return parseCookie(res.req.headers.cookie ?? "")[this.#nameFor(res)] ?? null;
  }

  set(res: Response, value: string): void {
    const { maxAge } = this.#options;
    res.cookie(this.#nameFor(res), value, { ...this.#attributes(res), maxAge });
  }

  clear(res: Response): void {
    res.clearCookie(this.#nameFor(res), this.#attributes(res));
  }

  #nameFor(res: Response): string {
    return isHttps(res) ? `__Host-${this.#name}` : this.#name;
  }

  #attributes(res: Response) {
    const { sameSite } = this.#options;
    const secure = isHttps(res);
    // The prefix requires the path `/`.
    return { httpOnly: true, sameSite, secure, path: secure ? "/" : dashboardPath(res, "") };
  }
}
