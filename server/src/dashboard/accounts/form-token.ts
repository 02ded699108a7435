import { hash, timingSafeEqual } from "node:crypto";
import type { Request, Response } from "express";
import { type Html, html } from "../../lib/html.js";
import { signedIn } from "../signed-in.js";

/*
 * The second guard against cross-site request forgery (CSRF). Each session has a form token, which its pages send with
 * every change. It is derived from the session token, which no page can read, so it is not stored.
 */

const fieldName = "form_token";

/** The form token, in each `<form method="post">` of a page behind `requireAccount`. */
export function formToken(res: Response): Html {
  return html`<input type="hidden" name="${fieldName}" value="${signedIn(res).formToken}">`;
}

/** Whether a change came with the form token of its session. */
export function holdsFormToken(req: Request, formToken: string): boolean {
  const field: unknown = req.body?.[fieldName];
  const given = Buffer.from(typeof field === "string" ? field : "");
  const expected = Buffer.from(formToken);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

export function formTokenOf(sessionToken: string): string {
  return hash("sha256", `form ${sessionToken}`, "hex");
}
