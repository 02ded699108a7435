import type { Request, RequestHandler, Response } from "express";
import { sessionSeconds } from "../../rules/account-session.js";
import { hashSecret } from "../../rules/key.js";
import { leaveFlashIfNone } from "../flash.js";
import { hostCookie } from "../host-cookie.js";
import { maxValueLength } from "../max-value-length.js";
import { PageError } from "../page-error.js";
import { dashboardPath, isByScript, isChange } from "../request.js";
import { setSignedIn } from "../signed-in.js";
import type { DashboardDeps } from "../visit.js";
import { formTokenOf, holdsFormToken } from "./form-token.js";

const tokenForm = /^[a-zA-Z0-9]{43}$/;

/** The cookie that carries a session's token. */
export const sessionCookie = hostCookie("queue_api_session", {
  sameSite: "lax",
  maxAge: sessionSeconds * 1000,
});

/** The token that came with a request, or null. */
export function sessionToken(res: Response): string | null {
  const token = sessionCookie.read(res) ?? "";
  return tokenForm.test(token) ? token : null;
}

/**
 * Requires a session, and stores who is signed in. Without one, a request is sent to the sign-in page,
 * which leads back to the requested page: by a redirect for a page, by 401 for a request of a page's script. Mount it
 * after the body parser, since a change must carry the form token.
 */
export function requireAccount({ store }: Pick<DashboardDeps, "store">): RequestHandler {
  return async (req, res, next) => {
    const token = sessionToken(res);
    if (token === null) return sendToSignIn(res);
    const sessionId = hashSecret(token);
    const found = await store.sessions.get(sessionId);
    if (!found) {
      const text = "Your session has ended. Sign in again.";
      leaveFlashIfNone(res, { kind: "warning", text });
      return sendToSignIn(res);
    }
    const formToken = formTokenOf(token);
    if (isChange(req) && !holdsFormToken(req, formToken)) throw staleForm();
    const { account, business, expiresAt } = found;
    setSignedIn(res, { account, business, expiresAt, sessionId, formToken });
    next();
  };
}

/** The usual cause: the page was opened before the user signed in again. */
function staleForm(): PageError {
  const advice =
    "That page was opened in an earlier session, so nothing was changed. Open it again and repeat what you did.";
  return new PageError(403, "This page is too old", advice);
}

/** The sign-in page leads back to the page that the browser shows. */
function sendToSignIn(res: Response): void {
  if (!isPage(res.req)) {
    res.status(401).type("text/plain").end("The session has ended. Sign in again.\n");
    return;
  }
  const next = currentPath(res);
  const query = next === dashboardPath(res, "") ? "" : `?next=${encodeURIComponent(next)}`;
  res.redirect(303, dashboardPath(res, `/sign-in${query}`));
}

/** The dashboard path that the browser shows: not that of a change or of a download. */
function currentPath(res: Response): string {
  const { req } = res;
  const root = dashboardPath(res, "");
  const isShown = !isChange(req) && !/(\.csv|\/download)$/.test(req.path);
  const requested = !isShown ? null : dashboardPath(res, req.url.replace(/^\/(?=\?|$)/, ""));
  return returnPath(root, requested ?? pathAndQuery(req.get("Referer")));
}

function pathAndQuery(url: string | undefined): string | null {
  if (url === undefined || !URL.canParse(url)) return null;
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** Whether a browser shows the response as a page, rather than passing it to a script. */
function isPage(req: Request): boolean {
  const wanted = req.get("Sec-Fetch-Dest") ?? "document";
  return wanted === "document" && !isByScript(req);
}

/**
 * Where to go after a sign-in: the wanted path if it lies below the dashboard, else the dashboard. The
 * path is untrusted, so it is parsed as a browser parses it, and never leads to another site.
 */
export function returnPath(root: string, wanted: unknown): string {
  const here = "http://here.invalid";
  if (typeof wanted !== "string" || !URL.canParse(wanted, here)) return root;
  const { origin, pathname, search } = new URL(wanted, here);
  const below = pathname === root || pathname.startsWith(`${root}/`);
  const path = pathname + search;
  return origin === here && below && path.length <= maxValueLength ? path : root;
}
