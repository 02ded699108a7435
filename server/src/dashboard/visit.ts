import type { Request, RequestHandler, Response } from "express";
import type { Logger } from "pino";
import { type Html, html } from "../lib/html.js";
import type { Store } from "../operations/store.js";
import type { Passwords } from "../owner/password.js";
import type { Random } from "../rules/ports.js";
import { ChangeAudit } from "./accounts/change-audit.js";
import { type Flash, leaveFlash } from "./flash.js";
import { flashMessage, type NavItem, type SendPage, type View } from "./layout.js";
import { PageError } from "./page-error.js";
import { dashboardPath, isByScript, isChange } from "./request.js";
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
  readonly passwords: Passwords;
  readonly reports: Reports;
}

/** A request of a signed-in account. The store records what a change changes; see {@link ChangeAudit}. */
export interface Visit extends DashboardDeps, Session {
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
  readonly flash?: Flash;
  /** A further piece for the script. Default: none. */
  readonly piece?: Html;
}

/** A page, or the way to another one; nothing if the handler has sent the response itself. */
export type HandlerResult = View | Redirect | undefined;

/** Handles a request. Throws `PageNotFound` for a missing resource. */
export type Handler = (visit: Visit) => HandlerResult | Promise<HandlerResult>;

/** Handlers by method and path below the dashboard, such as `GET /keys/:id`. */
export type Routes = Readonly<Record<string, Handler>>;

/** A page in the navigation and every route of it: a row of the table in `sections.ts`. */
export interface Section extends NavItem {
  readonly routes: Routes;
}

/** Completes a successful form: shows `text` on the next page. */
export function done(text: string, to: string): Redirect {
  return { to, flash: { kind: "done", text } };
}

/** The handler of a route for Express. */
export function routeHandler(
  handler: Handler,
  { forStaff }: Section,
  deps: DashboardDeps,
): RequestHandler {
  return async (req, res) => {
    const session = signedIn(res);
    if (session.account.role !== "owner" && !forStaff) throw onlyForOwners();
    const id = String(req.params.id ?? "");
    const audit = isChange(req) ? new ChangeAudit(res, req.path, deps.store.now()) : null;
    const store = audit ? deps.store.audited(audit) : deps.store;
    const result = await handler({ ...deps, ...session, store, audit, req, res, id });
    if (audit?.isDue && !isRefusal(result)) await deps.store.audit.append([audit.row]);
    if (result === undefined) return;
    if ("body" in result) return deps.send(res, result);
    if (!isByScript(req)) return redirect(res, result);
    const { flash, piece } = result;
    const message = flash && (await flashMessage(res, deps.store, flash));
    res.type("html").end(html`<div id="flash">${message}</div>${piece}`.text);
  };
}

/** Whether a result says that nothing was changed. A warning of a change that was made has its row with the record. */
function isRefusal(result: HandlerResult): boolean {
  if (result === undefined) return false;
  if ("body" in result) return (result.status ?? 200) >= 400;
  return result.flash !== undefined && result.flash.kind !== "done";
}

/** Sends a browser to another page. */
export function redirect(res: Response, { to, flash }: Redirect): void {
  if (flash) leaveFlash(res, flash);
  res.redirect(303, dashboardPath(res, to));
}

function onlyForOwners(): PageError {
  const advice =
    "Staff serve people. Keys, accounts and settings are for the owners of the business.";
  return new PageError(403, "Only for owners", advice);
}
