import { parseCookie } from "cookie";
import type { Request, Response } from "express";
import { at, isHttps } from "./request.js";

export interface HostCookieOptions {
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
  read(req: Request, res: Response): string | null {
    return parseCookie(req.headers.cookie ?? "")[this.#nameFor(req, res)] ?? null;
  }

  set(req: Request, res: Response, value: string): void {
    const { maxAge } = this.#options;
    res.cookie(this.#nameFor(req, res), value, { ...this.#attributes(req, res), maxAge });
  }

  clear(req: Request, res: Response): void {
    res.clearCookie(this.#nameFor(req, res), this.#attributes(req, res));
  }

  #nameFor(req: Request, res: Response): string {
    return isHttps(req, res) ? `__Host-${this.#name}` : this.#name;
  }

  #attributes(req: Request, res: Response) {
    const { sameSite } = this.#options;
    const secure = isHttps(req, res);
    // The prefix requires the path `/`.
    return { httpOnly: true, sameSite, secure, path: secure ? "/" : at(res, "") };
  }
}
