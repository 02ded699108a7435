import { type Html, html } from "../../lib/html.js";
import type { Business, Entry, Service } from "../../rules/records.js";
import { tokenLabel } from "../../rules/token.js";
import type { Board, LinePart, QueueOnBoard } from "../../store/port/boards.js";
import { customerName } from "../customer-name.js";
import { inHours } from "../duration.js";
import { type WallClock, wallClock } from "../wall-clock.js";
import { actButton } from "./act-button.js";
import { asSeen } from "./acts.js";
import { frameOf } from "./frame.js";
import { peopleAPage, queryOfPart } from "./line-part.js";
import { type Snapshot, snapshotOf } from "./snapshot.js";

/*
 * The parts of a board that change as people come and go. All viewers share them, so they contain nothing
 * of a session; the forms around the buttons do.
 */

/** The inputs for the pieces of a board. */
interface BoardContext {
  readonly clock: WallClock;
  readonly services: ReadonlyMap<string, Service>;
  /** The path of the dashboard as browsers request it. */
  readonly root: string;
  /** The part of one queue's line to show instead of its beginning. */
  readonly part: LinePart | null;
}

/** Renders a board. The result shares unchanged texts with the previous snapshot. */
export function pictureOf(
  board: Board,
  business: Business,
  { root, part }: Pick<BoardContext, "root" | "part">,
  before: Snapshot | null,
): Snapshot {
  const context: BoardContext = {
    clock: wallClock(business),
    services: new Map(board.services.map((service) => [service.id, service])),
    root,
    part,
  };
  const parts = new Map<string, string>();
  const lists = new Map<string, Map<string, string>>();
  for (const queue of board.queues) {
    const { id } = queue.queue;
    parts.set(`state-${id}`, state(queue).text);
    parts.set(`counts-${id}`, counts(queue).text);
    parts.set(`next-${id}`, next(queue).text);
    parts.set(`serving-${id}`, serving(queue, context).text);
    parts.set(`more-${id}`, more(queue, context).text);
    lists.set(
      `line-${id}`,
      new Map(queue.line.map((entry) => [`e-${entry.id}`, row(entry, context).text])),
    );
  }
  return snapshotOf({ frame: frameOf(board), parts, lists }, before);
}

/** Whether the queue accepts people, and the buttons to change that. */
function state({ queue }: QueueOnBoard): Html {
  const { id, name, isActive, isTokenCreationPaused: paused } = queue;
  const badge = !isActive
    ? html`<span class="badge bad">Closed</span>`
    : paused && html`<span class="badge warn">Paused</span>`;
  const look = { of: name, kind: "quiet", stays: true } as const;
  const pausing = paused
    ? actButton("resume", id, "Resume", look)
    : actButton("pause", id, "Pause", look);
  const closing = isActive
    ? actButton("close", id, "Close", look)
    : actButton("open", id, "Open", look);
  return html`${badge}${isActive && pausing}${closing}`;
}

function counts({ counts, averageWaitMinutes: wait }: QueueOnBoard): Html {
  const facts = [
    ["Waiting", counts.WAITING],
    ["In service", counts.IN_SERVICE],
    ["Average wait", wait === null ? "–" : inHours(wait)],
  ] as const;
  const over = [
    ["Served", counts.COMPLETED],
    ["No-show", counts.NO_SHOW],
    ["Canceled", counts.CANCELED],
  ] as const;
  return html`${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}<div class="rest-counts">${over.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</div>`;
}

/** The button that calls the next person. It names that person, so a second tap does not call another one. */
function next({ queue, next: first, counts }: QueueOnBoard): Html {
  if (!first) return emptyLine(queue.isActive, queue.isTokenCreationPaused, counts.IN_SERVICE > 0);
  const label = html`<span>Call next</span> <b>${tokenLabel(first)}</b>${
    first.customerName !== null &&
    html` <span class="name">${customerName(first.customerName)}</span>`
  }`;
  return html`<button class="primary call" id="call-${queue.id}" name="next" value="${asSeen(first)}">${label}</button>`;
}

function emptyLine(isActive: boolean, paused: boolean, serving: boolean): Html {
  const advice = !isActive
    ? "This queue is closed. Open it to let people in."
    : paused
      ? "New tokens are paused. Resume the queue to let people in."
      : "New tokens appear here automatically. You can also add a walk-in below.";
  return html`<div class="empty"><p><strong>${
    serving ? "Nobody else is waiting." : "Nobody is waiting."
  }</strong></p><p>${advice}</p></div>`;
}

function serving({ inService }: QueueOnBoard, context: BoardContext): Html {
  if (inService.length === 0) return html``;
  const rows = inService.map(
    (entry) =>
      html`<li>${who(entry, context, entry.startedAt)}${actButton("complete", entry, "Complete", { of: tokenLabel(entry), stays: true })}</li>`,
  );
  return html`<h3>In service</h3><ul class="people">${rows}</ul>`;
}

/** Links to the parts of the line that are not shown. */
function more({ queue, line, counts }: QueueOnBoard, { root, part }: BoardContext): Html {
  const { WAITING: waiting } = counts;
  const link = (from: number, label: Html) =>
    html`<a class="button" href="${root}${queryOfPart({ queueId: queue.id, from })}#queue-${queue.id}">${label}</a>`;
  if (part?.queueId !== queue.id) {
    const hidden = waiting - line.length;
    const label = waiting > peopleAPage ? "Show more of them" : `Show all ${waiting}`;
    return html`${hidden > 0 && link(1, html`${label} <span class="soft">(${hidden} more)</span>`)}`;
  }
  const { from } = part;
  const last = from - 1 + line.length;
  if (from === 1 && last >= waiting) return html``;
  const place = line.length > 0 ? `${from} to ${last} of ${waiting}` : `${waiting} in all`;
  return html`<p class="soft">${place}</p><p class="actions">${
    from > 1 && link(from - peopleAPage, html`Show those before`)
  }${last < waiting && line.length > 0 && link(from + peopleAPage, html`Show those behind`)}</p>`;
}

/** A waiting person. The number in front is the position, which the HTML list counts. */
function row(entry: Entry, context: BoardContext): Html {
  const { id, issuedAt } = entry;
  return html`<li id="e-${id}">${who(entry, context, issuedAt)}${actButton("call", entry, "Call", { of: tokenLabel(entry) })}</li>`;
}

/** Links to the page of a person, which offers all other acts. */
function who(entry: Entry, { clock, services, root }: BoardContext, since: number | null): Html {
  const { id, serviceId, priority, status, calls, counter } = entry;
  const service = services.get(serviceId ?? "")?.name;
  const time =
    since === null
      ? null
      : html`<span class="time" data-since="${since}">since ${clock.time(since)}</span>`;
  const facts = [counter, service ?? null, time].filter((fact) => fact !== null);
  return html`<a class="who" href="${root}/board/people/${id}"><b class="token">${tokenLabel(entry)}</b> <span class="name">${customerName(entry.customerName)}</span>${
    priority && status === "WAITING" && html` <span class="badge warn">Priority</span>`
  }${calls > 1 && html` <span class="badge">Called ${calls} times</span>`}<span class="soft">${facts.map((fact, at) => html`${at > 0 && " · "}${fact}`)}</span></a>`;
}
