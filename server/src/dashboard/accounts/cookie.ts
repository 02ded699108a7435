import type { Request, Response } from "express";
import { sessionSeconds } from "../../rules/owner-session.js";
import { HostCookie } from "../host-cookie.js";

const tokenForm = /^[a-zA-Z0-9]{43}$/;

/** The cookie that carries a session's token. */
export const sessionCookie = new HostCookie("queue_api_session", {
  sameSite: "lax",
  maxAge: sessionSeconds * 1000,
});

/** The token that came with a request, or null. */
export function sessionToken(req: Request, res: Response): string | null {
  const token = sessionCookie.read(req, res) ?? "";
  return tokenForm.test(token) ? token : null;
}
