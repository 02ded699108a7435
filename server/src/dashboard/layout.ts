import type { Response } from "express";
import { type Html, html } from "../lib/html.js";
import type { Store } from "../operations/store.js";
import { formToken } from "./accounts/form-token.js";
import { type AssetName, assetPath } from "./assets.js";
import { customerName } from "./customer-name.js";
import { type Flash, takeFlash } from "./flash.js";
import { dashboardPath, isByScript } from "./request.js";
import { knownSession, type Session } from "./signed-in.js";

/** The content of a page inside the frame that all pages share. */
export interface View {
  /** The title of the page in the browser. */
  readonly title: string;
  /** Heading of the page. Default: its title. */
  readonly heading?: Html;
  /** The actions of the whole page, next to the heading. */
  readonly actions?: Html;
  readonly body: Html;
  /** Default 200. */
  readonly status?: number;
  /** A script that enhances the page, which must work without it. Default: only that of all pages. */
  readonly script?: AssetName;
}

/** A page in the navigation. */
export interface NavItem {
  /** Relative to `/dashboard`, with a leading slash; empty for the first page. */
  readonly path: string;
  readonly title: string;
  /** Whether it is in the account menu instead of the navigation. Default no. */
  readonly inMenu?: boolean;
  /** Whether staff see the page. Default no: its routes refuse staff. */
  readonly forStaff?: boolean;
}

/** What the names in messages are read from. */
type MessageStore = Pick<Store, "entries" | "appointments">;

/** Sends pages in the shared frame. `nav`: the navigation for signed-in users. */
export function pageSender(nav: readonly NavItem[], store: MessageStore) {
  return async (res: Response, view: View): Promise<void> => {
    // A script that looks for news shows no message, so it leaves the message for the next page.
    const flash = isByScript(res.req) ? null : takeFlash(res);
    const message = flash && (await flashMessage(res, store, flash));
    res.status(view.status ?? 200);
    res.type("html").end(frame(res, view, nav, message).text);
  };
}

export type SendPage = ReturnType<typeof pageSender>;

function frame(
  res: Response,
  { title, heading, actions, body, script }: View,
  nav: readonly NavItem[],
  message: Html | null,
): Html {
  const known = knownSession(res);
  const business = known?.business.name ?? null;
  const head = html`<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${assetPath(res, "style.css")}">
<link rel="stylesheet" href="${assetPath(res, "dark.css")}" media="(prefers-color-scheme: dark)">
<script src="${assetPath(res, "page.js")}" defer></script>
${
  script &&
  html`<script src="${assetPath(res, script)}" defer></script>
`
}`;
  const content = html`<body${known !== null && html` data-account="${known.account.id}"`}>
<a class="skip" href="#content">Skip to the content</a>
${known !== null && topBar(res, known, nav)}<main id="content" tabindex="-1">
<div id="flash" role="status">${message}</div>
<div class="page-head">
<h1>${heading ?? title}</h1>
${actions}</div>
${body}</main>
</body>
`;
  return htmlDocument(res, `${title} · ${business ?? "Queue API"}`, head, content);
}

function topBar(res: Response, { business, account }: Session, nav: readonly NavItem[]): Html {
  // Relative to the dashboard, since a proxy may have removed the path of the public URL.
  const here = res.req.originalUrl.slice("/dashboard".length).split("?", 1)[0] ?? "";
  // The board is the first page; what belongs to it has a path of its own.
  const current = (path: string) => here === path || `${here}/`.startsWith(`${path || "/board"}/`);
  const links = (inMenu: boolean) =>
    nav
      .filter((item) => (item.inMenu ?? false) === inMenu)
      .filter((item) => account.role === "owner" || item.forStaff === true)
      .map(
        ({ path, title }) =>
          html`<li><a href="${dashboardPath(res, path)}"${current(path) && html` aria-current="page"`}>${title}</a></li>
`,
      );
  return html`<header class="top">
<a class="home" href="${dashboardPath(res, "")}" title="${business.name}"><img src="${assetPath(res, "icon.svg")}" alt="" width="28" height="28"><span>${business.name}</span></a>
<nav aria-label="Pages"><ul>
${links(false)}</ul></nav>
<details class="menu"><summary>Account</summary>
<div class="menu-content"><p class="soft">${account.email}</p>
<ul>
${links(true)}<li><form class="sign-out" method="post" action="${dashboardPath(res, "/sign-out")}">${formToken(res)}<button class="quiet">Sign out</button></form></li>
</ul></div></details>
</header>
`;
}

/** Opens the printed form of a token in a new tab. */
export function printLink(res: Response, entryId: string): Html {
  return html`<a class="button quiet" href="${dashboardPath(res, `/board/people/${entryId}/print`)}" target="_blank">Print the token</a>`;
}

/** A message at the top of a page. The name of its customer follows the first word: the token or the time. */
export async function flashMessage(
  res: Response,
  store: MessageStore,
  flash: Flash,
): Promise<Html> {
  const { kind, text, undo, entryId, isPrintable } = flash;
  const business = knownSession(res)?.business;
  // A message without a name is better than none.
  const name = business ? await customerOf(store, business.id, flash).catch(() => null) : null;
  const [first = "", ...rest] = text.split(" ");
  const named =
    name === null ? html`${text}` : html`${first}, ${customerName(name)}, ${rest.join(" ")}`;
  if (!business || !(undo || isPrintable)) return html`<p class="flash ${kind}">${named}</p>`;
  return html`<form class="flash ${kind}" method="post" action="${dashboardPath(res, undo?.to ?? "/board")}">${formToken(res)}<p>${named}</p>${
    isPrintable && entryId !== undefined && printLink(res, entryId)
  }${undo && html`<button class="quiet" name="${undo.name}" value="${undo.value}">Undo</button>`}</form>`;
}

async function customerOf(
  store: MessageStore,
  businessId: string,
  { entryId, appointmentId }: Flash,
): Promise<string | null> {
  const found = entryId === undefined ? null : await store.entries.get(businessId, entryId);
  if (appointmentId === undefined) return found?.entry.customerName ?? null;
  const booked = await store.appointments.get(businessId, appointmentId);
  return booked?.appointment.customerName ?? null;
}

/** Shows whether the page is up to date. A script of the page fills it in. */
export const liveSign = html`<p class="live" id="live" role="status" hidden></p>
`;

/**
 * A whole HTML document. `head`: what follows the title and the icon. `body`: with its element. Each of them ends with a
 * line break.
 */
export function htmlDocument(res: Response, title: string, head: Html, body: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${assetPath(res, "icon.svg")}" type="image/svg+xml">
${head}</head>
${body}</html>
`;
}

/**
 * A text that is shown only once. The script offers to copy it, and removes it from the page when the user leaves, so
 * that going back does not show it either.
 */
export function copyable(id: string, label: string, text: string): Html {
  return html`<div class="field">
<p class="label" id="${id}-label">${label}</p>
<pre class="secret" id="${id}" tabindex="0" aria-labelledby="${id}-label">${text}</pre>
<div class="actions"><button type="button" data-copies="${id}" hidden>Copy</button><span role="status" data-copied="${id}"></span></div>
</div>
`;
}
