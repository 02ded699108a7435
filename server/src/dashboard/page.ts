import type { Request, RequestHandler, Response } from "express";
import type { Logger } from "pino";
import { type Html, html } from "../lib/html.js";
import type { Store } from "../operations/store.js";
import type { Passwords } from "../owner/password.js";
import type { Random } from "../rules/ports.js";
import { ChangeAudit } from "./accounts/audit-changes.js";
import { type Flash, leaveFlash } from "./flash.js";
import { flashMessage, type NavItem, type SendPage, type View } from "./layout.js";
import { PageRefusal } from "./page-error.js";
import { at, isByScript, isChange } from "./request.js";
import { type Session, signedIn } from "./signed-in.js";
import type { Reports } from "./statistics/reports.js";

/** The dependencies of pages. */
export interface DashboardDeps {
  readonly store: Store;
  readonly random: Random;
  readonly logger: Logger;
  /** URL of the service as its callers know it, without a trailing slash. */
  readonly baseUrl: () => string;
  /** Sends a page in the frame that all pages share. */
  readonly send: SendPage;
  /** Milliseconds of a monotonic clock with an arbitrary start. */
  readonly elapsed: () => number;
  readonly passwords: Passwords;
}

/** What the pages of this process share. */
export interface PageDeps extends DashboardDeps {
  readonly reports: Reports;
}

/** A request of a signed-in account. The store records what a change changes; see {@link ChangeAudit}. */
export interface Visit extends PageDeps, Session {
  /** The audit row of a change; null if the request changes nothing. */
  readonly audit: ChangeAudit | null;
  readonly req: Request;
  readonly res: Response;
  /** The id in the path; empty if it has none. */
  readonly id: string;
}

/** Another page, and the message that it shows. A page's script gets the message, and stays on its page. */
export interface Redirect {
  /** Relative to the dashboard. */
  readonly to: string;
  readonly said?: Flash;
  /** A further piece for the script. Default: none. */
  readonly piece?: Html;
}

/** A page, or the way to another one; nothing if the handler has answered itself. */
export type Answer = View | Redirect | undefined;

/** Answers a request. Throws `PageNotFound` for a missing resource. */
export type Handler = (visit: Visit) => Answer | Promise<Answer>;

/** Handlers by method and path below the dashboard, such as `GET /keys/:id`. */
export type Routes = Readonly<Record<string, Handler>>;

/** A page in the navigation and every route of it: a row of the table in `sections.ts`. */
export interface Section extends NavItem {
  readonly routes: Routes;
}

/** Completes a successful form: shows `text` on the next page. */
export function done(text: string, to: string): Redirect {
  return { to, said: { kind: "done", text } };
}

/** The handler of a route for Express. */
export function answering(handler: Handler, { forStaff }: Section, deps: PageDeps): RequestHandler {
  return async (req, res) => {
    const account = signedIn(res);
    if (account.owner.role !== "owner" && !forStaff) throw onlyForOwners();
    const id = String(req.params.id ?? "");
    const audit = isChange(req) ? new ChangeAudit(res, req.path, await deps.store.now()) : null;
    const store = audit ? deps.store.audited(audit) : deps.store;
    const answer = await handler({ ...deps, ...account, store, audit, req, res, id });
    if (audit?.isDue && !isRefusal(answer)) await deps.store.audit.append([audit.row]);
    if (answer === undefined) return;
    if ("body" in answer) return deps.send(req, res, answer);
    if (!isByScript(req)) return redirect(req, res, answer);
    const { said, piece } = answer;
    const message = said && (await flashMessage(res, deps.store, said));
    res.type("html").end(html`<div id="flash">${message}</div>${piece}`.text);
  };
}

function isRefusal(answer: Answer): boolean {
  return answer !== undefined && "body" in answer && (answer.status ?? 200) >= 400;
}

/** Sends a browser to another page. */
export function redirect(req: Request, res: Response, { to, said }: Redirect): void {
  if (said) leaveFlash(req, res, said);
  res.redirect(303, at(res, to));
}

function onlyForOwners(): PageRefusal {
  const advice =
    "Staff serve people. Keys, accounts and settings are for the owners of the business.";
  return new PageRefusal(403, "Only for owners", advice);
}
