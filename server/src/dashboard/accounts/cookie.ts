import { parseCookie } from "cookie";
import type { Request, Response } from "express";
import { sessionSeconds } from "../../rules/owner-session.js";
import { at } from "../root.js";

const tokenForm = /^[a-zA-Z0-9]{43}$/;

/**
 * The cookie that carries a session's token. Behind https it has the `__Host-` prefix, so that nobody
 * without this very host, and without https, can plant one.
 */
export class SessionCookie {
  readonly #baseUrl: () => string;

  /** `baseUrl`: address of the service as browsers know it. */
  constructor(baseUrl: () => string) {
    this.#baseUrl = baseUrl;
  }

  /** The token that came with a request, or null. */
  read(req: Request): string | null {
    const token = parseCookie(req.headers.cookie ?? "")[this.#name(req)] ?? "";
    return tokenForm.test(token) ? token : null;
  }

  set(req: Request, res: Response, token: string): void {
    const maxAge = sessionSeconds * 1000;
    res.cookie(this.#name(req), token, { ...this.#attributes(req, res), maxAge });
  }

  clear(req: Request, res: Response): void {
    res.clearCookie(this.#name(req), this.#attributes(req, res));
  }

  #name(req: Request): string {
    return this.#isSecure(req) ? "__Host-queue_api_session" : "queue_api_session";
  }

  #attributes(req: Request, res: Response) {
    const secure = this.#isSecure(req);
    // The prefix asks for the path of the whole host.
    return { httpOnly: true, sameSite: "lax", secure, path: secure ? "/" : at(res, "") } as const;
  }

  /** `req.secure` believes a proxy only as far as `TRUST_PROXY` says. */
  #isSecure(req: Request): boolean {
    return req.secure || this.#baseUrl().startsWith("https:");
  }
}
