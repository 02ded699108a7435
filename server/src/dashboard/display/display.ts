import type { Request, Response, Router } from "express";
import { Html, html } from "../../lib/html.js";
import { hashSecret } from "../../rules/key.js";
import type { Business, Entry } from "../../rules/records.js";
import { tokenLabel } from "../../rules/token.js";
import type { Board, QueueOnBoard } from "../../store/port/boards.js";
import { assetPath } from "../assets.js";
import { BoardStream, type StreamDeps } from "../board/board-stream.js";
import { type boardSnapshot, frameOf } from "../board/card.js";
import { LiveBoards } from "../board/live-boards.js";
import { OpenStreams } from "../board/open-streams.js";
import { snapshotOf } from "../board/snapshot.js";
import { PageRefusal } from "../errors.js";
import { htmlDocument } from "../layout.js";
import type { DashboardDeps } from "../page.js";
import { at } from "../root.js";

type DisplayRequest = Request<{ token: string }>;

/** Limits of the open displays in one process. They leave room for the boards. */
const limits = { ofSession: 20, ofBusiness: 20, ofAll: 500 } as const;

/**
 * The displays in waiting rooms. A display opens by a link that only its token protects, and shows tokens
 * and counters. Its stream stays open as long as the link is valid.
 */
export class Displays {
  readonly #store: DashboardDeps["store"];
  readonly #live: StreamDeps;

  constructor(deps: DashboardDeps) {
    this.#store = deps.store;
    const boards = new LiveBoards({ ...deps, render: displaySnapshot });
    this.#live = { ...deps, boards, streams: new OpenStreams(deps.stopping, limits) };
  }

  /** Adds the routes that need a link but no sign-in. */
  addRoutes(router: Router): void {
    router.get("/display/:token", (req, res) => this.#show(req, res));
    router.get("/display/:token/events", (req, res) => this.#stream(req, res));
  }

  /** Reports that the link with this hash is no longer valid. Its displays go dark at once. */
  ended(displayHash: string): void {
    this.#live.streams.ended("session", displayHash);
  }

  async #show(req: DisplayRequest, res: Response): Promise<void> {
    const { token } = req.params;
    const business = await this.#business(token);
    const { board, snapshot } = await this.#live.boards.read(business, null);
    const query = new URLSearchParams({ snapshot: snapshot.id, frame: snapshot.frame });
    const chosen = [req.query.queue ?? []].flat().map(String);
    sendDisplay(req, res, {
      business,
      events: at(res, `/display/${token}/events?${query}`),
      board,
      pieces: snapshot.pieces,
      chosen,
    });
  }

  async #stream(req: DisplayRequest, res: Response): Promise<void> {
    const { token } = req.params;
    const business = await this.#business(token);
    const session = hashSecret(token);
    const isValid = async () =>
      (await this.#store.businesses.find("displayHash", session)) !== null;
    const wanted = { business, part: null, viewer: { session }, isValid };
    new BoardStream(res, wanted, this.#live).open();
  }

  /** @throws PageRefusal 404 for a link that is not, or no longer, valid */
  async #business(token: string): Promise<Business> {
    const business = await this.#store.businesses.find("displayHash", hashSecret(token));
    if (business) return business;
    const advice =
      "The link to this display does not work any more. The owner of the business can make a new one under Settings.";
    throw new PageRefusal(404, "This display is off", advice);
  }
}

/** How many tokens of a queue are shown as next. All that are called are shown, the last call first. */
const mostNext = 5;

/** Renders a board for a waiting room: tokens and counters, and no other data of a person. */
const displaySnapshot: typeof boardSnapshot = (board) => {
  const pieces = board.queues.map((queue) => [pieceId(queue), tokens(queue).text] as const);
  return snapshotOf(frameOf(board), new Map(pieces));
};

function pieceId({ queue }: QueueOnBoard): string {
  return `display-${queue.id}`;
}

/** The content of a display. It has its own, read-only frame. */
interface DisplayView {
  readonly business: Business;
  /** URL of the display's events. */
  readonly events: string;
  readonly board: Board;
  readonly pieces: ReadonlyMap<string, string>;
  /** Ids of the queues to show; empty for all. */
  readonly chosen: readonly string[];
}

/** When a screen shows the dark theme, by the theme in the URL. */
const whenDark = { auto: "(prefers-color-scheme: dark)", dark: "all", light: "not all" } as const;

/** Sends the page of a display. `theme=dark` or `theme=light` in the URL overrides the screen's own theme, and
 * `size=75` or `size=150` the size of the type in percent. */
function sendDisplay(req: Request, res: Response, view: DisplayView): void {
  const { business, events, board, pieces, chosen } = view;
  const { theme, size } = req.query;
  const chosenTheme = theme === "dark" || theme === "light" ? theme : null;
  const head = html`<meta name="color-scheme" content="${chosenTheme ?? "light dark"}">
<meta name="robots" content="noindex">
<link rel="stylesheet" href="${assetPath(res, "display.css")}">
<link rel="stylesheet" href="${assetPath(res, "dark.css")}" media="${whenDark[chosenTheme ?? "auto"]}">
<noscript><meta http-equiv="refresh" content="15"></noscript>
<script src="${assetPath(res, "page.js")}" defer></script>
<script src="${assetPath(res, "display.js")}" defer></script>
`;
  const queues = board.queues
    .filter(({ queue: { id } }) => chosen.length === 0 || chosen.includes(id))
    .map(
      (one) => html`<section class="queue" aria-labelledby="name-${one.queue.id}">
<h2 id="name-${one.queue.id}">${one.queue.name}</h2>
<div id="${pieceId(one)}">${new Html(pieces.get(pieceId(one)) ?? "")}</div>
</section>
`,
    );
  const body = html`<body${(size === "75" || size === "150") && html` data-size="${size}"`}>
<header><h1>${business.name}</h1>
<button id="sound" type="button" hidden>Turn the sound on</button>
<p id="clock" data-zone="${business.timezone ?? "UTC"}"></p></header>
<p id="lost" role="status" hidden></p>
<main id="display" data-events="${events}">
${queues}</main>
</body>
`;
  res.type("html").end(htmlDocument(res, { title: business.name, head, body }).text);
}

function tokens({ queue, inService, line, counts }: QueueOnBoard): Html {
  const called = inService.toReversed().sort((a, b) => lastCall(b) - lastCall(a));
  const next = line.slice(0, mostNext);
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
