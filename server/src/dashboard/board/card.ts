import { type Html, html } from "../../lib/html.js";
import type { LinePart, QueueOnBoard } from "../../operations/boards.js";
import { expectedWait } from "../../rules/line.js";
import type { Entry, Queue } from "../../rules/records.js";
import { tokenLabel } from "../../rules/token.js";
import { customerName } from "../customer-name.js";
import { inHours, type WallClock } from "../date-format.js";
import { actButton, asSeen } from "./acts.js";
import { peopleAPage, queryOfPart } from "./line-part.js";

/** The id of the form that the buttons of the cards submit. */
export const actForm = "act";

/** What the cards of a board show beside its queues. */
export interface CardContext {
  readonly clock: WallClock;
  /** Names by id. */
  readonly services: ReadonlyMap<string, string>;
  /** The path of the dashboard as browsers request it. */
  readonly root: string;
  /** The part of one queue's line to show instead of its beginning. */
  readonly part: LinePart | null;
}

/**
 * The card of a queue. What stays has an id, by which a script finds it again when it shows the card of a later page;
 * it leaves what has `data-kept` alone. What comes and goes beside it has an id too, so that the script does not take it
 * for what stays. `walkIn`: the form that adds a walk-in.
 */
export function queueCard(queue: QueueOnBoard, context: CardContext, walkIn: Html): Html {
  const { id, name } = queue.queue;
  const { root, part } = context;
  const first = part?.queueId === id ? part.from : 1;
  const ended = `${root}/board/ended/${id}`;
  return html`<section class="card queue" id="queue-${id}" aria-labelledby="name-${id}"><div class="card-head"><h2 id="name-${id}" tabindex="-1">${name}</h2><div class="actions">${state(queue)}</div></div>
<dl class="counts" id="counts-${id}">${counts(queue)}</dl>
${next(queue)}
${serving(queue, context)}<div id="place-${id}" data-kept="walk-in">${walkIn}</div>
<ol class="people line" id="line-${id}" start="${first}" aria-label="Waiting, in the order of calling">${queue.line.map((entry) => row(entry, context))}</ol>
${more(queue, context)}<details class="ended" id="ended-${id}" data-kept="ended"><summary>Ended today</summary><div data-people="${ended}"><a class="button" href="${ended}">Show them</a></div></details>
</section>
`;
}

/** Whether the queue accepts people, and the buttons to change that. */
function state({ queue }: QueueOnBoard): Html {
  const { id, name, isActive, isTokenCreationPaused: paused } = queue;
  const badge = !isActive
    ? html`<span class="badge bad">Closed</span>`
    : paused && html`<span class="badge warn">Paused</span>`;
  const look = { of: name, kind: "quiet", form: actForm } as const;
  const pausing = paused
    ? actButton("resume", id, "Resume", look)
    : actButton("pause", id, "Pause", look);
  const closing = isActive
    ? actButton("close", id, "Close", look)
    : actButton("open", id, "Open", look);
  return html`${badge}${isActive && pausing}${closing}`;
}

function counts({ queue, counts, aheadOfNew, pace }: QueueOnBoard): Html {
  const wait = queue.isActive ? expectedWait(aheadOfNew, pace) : null;
  const facts = [
    ["Waiting", counts.WAITING, ""],
    ["In service", counts.IN_SERVICE, ""],
    ["Wait if new", wait === null ? "–" : inHours(wait), ""],
    ["Completed", counts.COMPLETED, "over"],
    ["No-show", counts.NO_SHOW, "over"],
    ["Canceled", counts.CANCELED, "over"],
  ] as const;
  return html`${facts.map(([name, value, kind]) => html`<div class="${kind}"><dt>${name}</dt><dd>${value}</dd></div>`)}`;
}

/** The button that calls the next person. It names that person, so a second tap does not call another one. */
function next({ queue, next: first, counts }: QueueOnBoard): Html {
  if (!first) {
    const nobody = counts.IN_SERVICE > 0 ? "Nobody else is waiting." : "Nobody is waiting.";
    return html`<div class="empty" id="empty-${queue.id}"><p><strong>${nobody}</strong></p><p>${howPeopleCome(queue)}</p></div>`;
  }
  const label = html`<span>Call next</span> <b>${tokenLabel(first)}</b>${
    first.customerName !== null &&
    html` <span class="name">${customerName(first.customerName)}</span>`
  }`;
  return html`<button class="primary call" id="next-${queue.id}" form="${actForm}" name="next" value="${asSeen(first)}">${label}</button>`;
}

function howPeopleCome({ isActive, isTokenCreationPaused }: Queue): string {
  if (!isActive) return "This queue is closed. Open it to let people in.";
  if (isTokenCreationPaused) return "New tokens are paused. Resume the queue to let people in.";
  return "New tokens appear here automatically. You can also add a walk-in below.";
}

function serving({ queue, inService }: QueueOnBoard, context: CardContext): Html {
  if (inService.length === 0) return html``;
  const rows = inService.map((entry) => {
    const look = { of: tokenLabel(entry), form: actForm };
    return html`<li id="e-${entry.id}">${who(entry, context, entry.startedAt)}<div class="actions">${actButton("complete", entry, "Complete", look)}${actButton("call-again", entry, "Call again", look)}${actButton("no-show", entry, "No-show", look)}</div></li>`;
  });
  return html`<h3>In service</h3><ul class="people serving" id="serving-${queue.id}">${rows}</ul>
`;
}

/** Links to the parts of the line that are not shown. */
function more({ queue, line, counts }: QueueOnBoard, { root, part }: CardContext): Html {
  const { WAITING: waiting } = counts;
  const rest = `rest-${queue.id}`;
  const link = (from: number, label: Html) =>
    html`<a class="button" href="${root}${queryOfPart({ queueId: queue.id, from })}#queue-${queue.id}">${label}</a>`;
  if (part?.queueId !== queue.id) {
    const hidden = waiting - line.length;
    const label = waiting > peopleAPage ? "Show more of them" : `Show all ${waiting}`;
    return html`${hidden > 0 && html`<div class="rest" id="${rest}">${link(1, html`${label} <span class="soft">(${hidden} more)</span>`)}</div>`}`;
  }
  const { from } = part;
  const last = from - 1 + line.length;
  if (from === 1 && last >= waiting) return html``;
  const place = line.length > 0 ? `${from} to ${last} of ${waiting}` : `${waiting} in all`;
  return html`<div class="rest" id="${rest}"><p class="soft">${place}</p><p class="actions">${
    from > 1 && link(from - peopleAPage, html`Show earlier people`)
  }${last < waiting && line.length > 0 && link(from + peopleAPage, html`Show later people`)}</p></div>`;
}

/** A waiting person. The number in front is the position, which the HTML list counts. */
function row(entry: Entry, context: CardContext): Html {
  const look = { of: tokenLabel(entry), form: actForm };
  return html`<li id="e-${entry.id}">${who(entry, context, entry.issuedAt)}${actButton("call", entry, "Call", look)}</li>
`;
}

/** Links to the page of a person, which offers all other acts. */
function who(entry: Entry, { clock, services, root }: CardContext, since: number | null): Html {
  const { id, serviceId, priority, status, calls, counter } = entry;
  const service = services.get(serviceId ?? "");
  const time =
    since === null
      ? null
      : html`<span class="time" data-since="${since}">since ${clock.time(since)}</span>`;
  const facts = [counter, service ?? null, time].filter((fact) => fact !== null);
  return html`<a class="who" href="${root}/board/people/${id}"><b class="token">${tokenLabel(entry)}</b> <span class="name">${customerName(entry.customerName)}</span>${
    priority && status === "WAITING" && html` <span class="badge warn">Priority</span>`
  }${calls > 1 && html` <span class="badge">Called ${calls} times</span>`}<span class="soft">${facts.map((fact, at) => html`${at > 0 && " · "}${fact}`)}</span></a>`;
}
