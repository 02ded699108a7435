import { hash, timingSafeEqual } from "node:crypto";
import type { Request, Response } from "express";
import { type Html, html } from "../../lib/html.js";

/*
 * The second guard against cross-site request forgery (CSRF). Each session has a form token, which its pages send with every change. It is derived from the session
 * token, which no page can read, so it is not stored.
 */

const fieldName = "form_token";

/** The form token, in each `<form method="post">` of a page behind `requireOwner`. */
export function formToken(res: Response): Html {
  return html`<input type="hidden" name="${fieldName}" value="${tokenOf(res)}">`;
}

function tokenOf(res: Response): string {
  const token: unknown = res.locals.formToken;
  if (typeof token !== "string") throw new Error("this route does not require an owner");
  return token;
}

/** For `requireOwner` alone: stores the token of the request's session. */
export function noteFormToken(res: Response, sessionToken: string): void {
  res.locals.formToken = derive(sessionToken);
}

/** Whether a change came with the form token of its session. */
export function holdsFormToken(req: Request, sessionToken: string): boolean {
  const field: unknown = req.body?.[fieldName];
  const given = Buffer.from(typeof field === "string" ? field : "");
  const expected = Buffer.from(derive(sessionToken));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function derive(sessionToken: string): string {
  return hash("sha256", `form ${sessionToken}`, "hex");
}
