import type { RequestHandler, Response } from "express";
import { type Html, html } from "../../lib/html.js";
import { sessionChangeLimit as limit } from "../../rules/account-session.js";
import { charged, currentWindow, isBelowLimit, report, type Window } from "../../rules/window.js";
import type { View } from "../layout.js";
import { dashboardPath, isChange } from "../request.js";
import { signedIn } from "../signed-in.js";
import type { DashboardDeps } from "../visit.js";
import { formToken } from "./form-token.js";

/**
 * Limits the changes of each session, so that one session cannot use up the capacity of the process. A refused
 * change is not counted. Each process counts separately.
 */
export function changeLimit({
  store,
  send,
}: Pick<DashboardDeps, "store" | "send">): RequestHandler {
  /** By session, the earliest window first. */
  const windows = new Map<string, Window>();
  return (req, res, next) => {
    if (!isChange(req)) return next();
    const now = store.now();
    for (const [id, window] of windows) {
      if (currentWindow(window, limit.seconds, now) === window) break;
      windows.delete(id);
    }
    const { sessionId: id } = signedIn(res);
    const window = currentWindow(windows.get(id) ?? null, limit.seconds, now);
    if (isBelowLimit(window, limit)) {
      windows.set(id, charged(window));
      return next();
    }
    const { resetSeconds } = report(window, limit, now);
    res.setHeader("Retry-After", resetSeconds);
    return send(res, waitPage(res, resetSeconds));
  };
}

/** Offers to send the refused form again, with its values. */
function waitPage(res: Response, seconds: number): View {
  const { body: typed = {}, path, url } = res.req;
  const reason = `There were ${limit.limit} changes from this browser within a minute, so this one was not made.`;
  const wait = `wait ${seconds === 1 ? "a second" : `${seconds} seconds`}`;
  const home = html`<a class="button" href="${dashboardPath(res, "")}">To the board</a>`;
  // A page contains no password, so the form for a new one is filled in again.
  const body =
    path === "/account"
      ? html`<div class="card alone"><p>${reason} Passwords are not kept: ${wait}, then enter them again.</p>
<div class="actions"><a class="button primary" href="${dashboardPath(res, path)}">Enter them again</a>${home}</div>
</div>
`
      : html`<form class="card alone" method="post" action="${dashboardPath(res, url)}">
${formToken(res)}${hiddenFields(typed)}<p>${reason} What you entered is kept: ${wait}, then send it again.</p>
<div class="actions"><button class="button primary">Send it again</button>${home}</div>
</form>
`;
  return { title: "One moment, please", body, status: 429 };
}

function hiddenFields(typed: Readonly<Record<string, string | string[]>>): readonly Html[] {
  return Object.entries(typed)
    .filter(([name]) => name !== "form_token")
    .flatMap(([name, values]) => [values].flat().map((value) => ({ name, value })))
    .map(({ name, value }) => html`<input type="hidden" name="${name}" value="${value}">\n`);
}
