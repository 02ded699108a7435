import type { Response, Router } from "express";
import { type Html, html } from "../lib/html.js";
import type { Board, QueueOnBoard } from "../operations/boards.js";
import { hashSecret } from "../rules/key.js";
import type { Business, Entry } from "../rules/records.js";
import { tokenLabel } from "../rules/token.js";
import { assetPath } from "./assets.js";
import { changedBoard, frameOf } from "./board/board-today.js";
import { htmlDocument } from "./layout.js";
import { PageError } from "./page-error.js";
import type { DashboardDeps } from "./visit.js";

/**
 * Adds the displays in waiting rooms. A display opens by a link that only its token protects, and shows tokens and
 * counters.
 */
export function addDisplays(router: Router, { store }: DashboardDeps): void {
  router.get("/display/:token", async (req, res) => {
    const business = await store.businesses.find("displayHash", hashSecret(req.params.token));
    if (!business) throw linkIsOff();
    const today = await changedBoard(store, res, business, null);
    if (today) sendDisplay(res, business, today.board);
  });
}

function linkIsOff(): PageError {
  const advice =
    "The link to this display no longer works. The owner of the business can make a new one under Settings.";
  return new PageError(404, "This display is off", advice);
}

/** How many tokens of a queue are shown as next. All that are called are shown, the last call first. */
const maxNext = 5;

/** When a screen shows the dark theme, by the theme in the URL. */
const whenDark = { auto: "(prefers-color-scheme: dark)", dark: "all", light: "not all" } as const;

/**
 * Sends the page of a display, with a read-only frame of its own. The URL of one screen can have options that win over
 * those of the business: each `queue` to show (all queues if none of them exists), `theme=dark` or `theme=light` in place
 * of the screen's own theme, and `size=75` or `size=150` for the type, in percent.
 */
function sendDisplay(res: Response, business: Business, board: Board): void {
  const { query } = res.req;
  const options = new URLSearchParams(business.displayQuery);
  const theme = query.theme ?? options.get("theme");
  const size = query.size ?? options.get("size");
  const named = [query.queue ?? options.getAll("queue")].flat().map(String);
  const chosen = board.queues.filter(({ queue: { id } }) => named.includes(id));
  const chosenTheme = theme === "dark" || theme === "light" ? theme : null;
  const head = html`<meta name="color-scheme" content="${chosenTheme ?? "light dark"}">
<meta name="robots" content="noindex">
<link rel="stylesheet" href="${assetPath(res, "display.css")}">
<link rel="stylesheet" href="${assetPath(res, "dark.css")}" media="${whenDark[chosenTheme ?? "auto"]}">
<noscript><meta http-equiv="refresh" content="15"></noscript>
<script src="${assetPath(res, "page.js")}" defer></script>
<script src="${assetPath(res, "display.js")}" defer></script>
`;
  const queues = (chosen.length > 0 ? chosen : board.queues).map(
    (one) => html`<section class="queue" aria-labelledby="name-${one.queue.id}">
<h2 id="name-${one.queue.id}">${one.queue.name}</h2>
<div>${tokens(one)}</div>
</section>
`,
  );
  const body = html`<body${(size === "75" || size === "150") && html` data-size="${size}"`}>
<header><h1>${business.name}</h1>
<button id="sound" type="button" hidden>Turn the sound on</button>
<p id="clock" data-zone="${business.timezone ?? "UTC"}"></p></header>
<p id="lost" role="status" hidden></p>
<main id="display" data-frame="${frameOf(board, business.displayQuery)}">
${queues}</main>
</body>
`;
  res.type("html").end(htmlDocument(res, business.name, head, body).text);
}

/** The tokens and counters of a queue, and no other data of a person. */
function tokens({ queue, inService, line, counts }: QueueOnBoard): Html {
  const called = inService.toReversed().sort((a, b) => lastCall(b) - lastCall(a));
  const next = line.slice(0, maxNext);
  if (!queue.isActive && called.length + next.length === 0) {
    return html`<p class="empty-call closed">Closed</p>`;
  }
  return html`${
    called.length > 0
      ? html`<ul class="called">${called.map(calledToken)}</ul>`
      : html`<p class="empty-call">–</p>`
  }${
    next.length > 0 &&
    html`<p class="next"><span>Next</span> ${next.map((entry) => html`<b>${tokenLabel(entry)}</b> `)}</p>`
  }<p class="waiting">${counts.WAITING} waiting</p>`;
}

function lastCall({ startedAt, calledAgainAt }: Entry): number {
  return Math.max(startedAt ?? 0, calledAgainAt ?? 0);
}

/** A repeated call of the same person counts as a new call, so that the display announces it again. */
function calledToken(entry: Entry): Html {
  return html`<li id="call-${entry.id}" data-call="${entry.id}-${entry.startedAt}-${entry.calls}"><b>${tokenLabel(entry)}</b>${
    entry.counter !== null && html` <span>${entry.counter}</span>`
  }</li>`;
}
