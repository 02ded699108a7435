import { Html, html } from "../../lib/html.js";
import type { Entry } from "../../rules/records.js";
import { tokenLabel } from "../../rules/token.js";
import type { Board, QueueOnBoard } from "../../store/port/boards.js";
import { frameOf } from "../board/frame.js";
import type { pictureOf } from "../board/pieces.js";
import { snapshotOf } from "../board/snapshot.js";

/** How many tokens of a queue are shown as called, the newest first, and how many as next. */
const most = { called: 4, next: 5 } as const;

/** Renders a board for a waiting room: tokens and counters, and no other data of a person. */
export const displayPicture: typeof pictureOf = (board, _business, _making, before) => {
  const parts = new Map(board.queues.map((queue) => [partId(queue), tokens(queue).text]));
  return snapshotOf({ frame: frameOf(board), parts, lists: new Map() }, before);
};

function partId({ queue }: QueueOnBoard): string {
  return `display-${queue.id}`;
}

/**
 * The queues of a display with the pieces in their places. `chosen`: ids of the queues to show; empty for
 * all.
 */
export function framedDisplay(
  { queues }: Board,
  parts: ReadonlyMap<string, string>,
  chosen: readonly string[],
): Html {
  const shown = queues.filter(({ queue: { id } }) => chosen.length === 0 || chosen.includes(id));
  return html`${shown.map(
    (one) => html`<section class="queue" aria-labelledby="name-${one.queue.id}">
<h2 id="name-${one.queue.id}">${one.queue.name}</h2>
<div id="${partId(one)}">${new Html(parts.get(partId(one)) ?? "")}</div>
</section>
`,
  )}`;
}

function tokens({ queue, inService, line, counts }: QueueOnBoard): Html {
  const called = inService.toReversed().slice(0, most.called);
  const next = line.slice(0, most.next);
  return html`${
    called.length > 0
      ? html`<ul class="called">${called.map(calledToken)}</ul>`
      : html`<p class="empty-call">${queue.isActive ? "–" : "Closed"}</p>`
  }${
    next.length > 0 &&
    html`<p class="next"><span>Next</span> ${next.map((entry) => html`<b>${tokenLabel(entry)}</b> `)}</p>`
  }<p class="waiting">${counts.WAITING} waiting</p>`;
}

/** A repeated call of the same person counts as a new call, so that the display announces it again. */
function calledToken(entry: Entry): Html {
  return html`<li data-call="${entry.id}-${entry.startedAt}-${entry.calls}"><b>${tokenLabel(entry)}</b>${
    entry.counter !== null && html` <span>${entry.counter}</span>`
  }</li>`;
}
