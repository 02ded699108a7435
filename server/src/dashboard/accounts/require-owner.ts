import type { Request, RequestHandler, Response } from "express";
import { hashSecret } from "../../rules/key.js";
import type { Store } from "../../store/store.js";
import { PageRefusal } from "../errors.js";
import { at } from "../root.js";
import { setSignedIn } from "../signed-in.js";
import { sessionToken } from "./cookie.js";
import { holdsFormToken, noteFormToken } from "./form-token.js";
import { returnPath } from "./return-path.js";
import { isChange } from "./same-origin.js";
import type { Session } from "./session-watch.js";

/**
 * Lets those pass who are signed in, and notes who they are. Everybody else is sent to sign in, and
 * back to where they were: a page by a redirect, what a page's script asks for by 401 and `HX-Redirect`.
 * Behind the body's parser, since a change must come with its session's form token.
 */
export function requireOwner({ store }: { readonly store: Store }): RequestHandler {
  return async (req, res, next) => {
    const token = sessionToken(req, res);
    if (token === null) return sendToSignIn(req, res);
    const id = hashSecret(token);
    const found = await store.sessions.get(id);
    if (!found) return sendToSignIn(req, res);
    if (isChange(req) && !holdsFormToken(req, token)) throw staleForm();
    setSignedIn(res, found);
    noteFormToken(res, token);
    res.locals.session = { id, ownerId: found.owner.id } satisfies Session;
    next();
  };
}

/** The session that an answer is for. Throws where nobody was required to be signed in. */
export function sessionOf(res: Response): Session {
  const session = res.locals.session as Session | undefined;
  if (!session) throw new Error("this route does not require an owner");
  return session;
}

/** Most often the page was opened before its owner signed in anew. */
function staleForm(): PageRefusal {
  const advice =
    "That page was opened in an earlier session, so nothing was changed. Open it again and repeat what you did.";
  return new PageRefusal(403, "This page is too old", advice);
}

function sendToSignIn(req: Request, res: Response): void {
  const signIn = signInPath(res, placeOf(req, res));
  if (isPage(req)) {
    res.redirect(303, signIn);
  } else {
    res.status(401).set("HX-Redirect", signIn);
    res.type("text/plain").end("The session has ended. Sign in again.\n");
  }
}

/** The page for signing in, which leads back to a path below the dashboard. */
function signInPath(res: Response, next: string): string {
  const root = at(res, "");
  return at(res, next === root ? "/sign-in" : `/sign-in?next=${encodeURIComponent(next)}`);
}

/** Where somebody is in the dashboard. */
function placeOf(req: Request, res: Response): string {
  const root = at(res, "");
  const shown = isPage(req) && !isChange(req) ? at(res, req.url.replace(/^\/(?=\?|$)/, "")) : null;
  return returnPath(root, shown ?? pathOf(req.get("HX-Current-URL") ?? req.get("Referer")));
}

function pathOf(url: string | undefined): string | null {
  if (url === undefined || !URL.canParse(url)) return null;
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** Whether a browser will show the answer as a page, and not hand it to a script. */
function isPage(req: Request): boolean {
  const wanted = req.get("Sec-Fetch-Dest") ?? "document";
  const streams = req.get("Accept")?.includes("text/event-stream") ?? false;
  return wanted === "document" && !streams && req.get("HX-Request") !== "true";
}
