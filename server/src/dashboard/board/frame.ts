import { hash } from "node:crypto";
import { Html, html } from "../../lib/html.js";
import type { Board, LinePart } from "../../store/port/boards.js";
import type { Snapshot } from "./snapshot.js";

/**
 * The id of a board's frame: the part that does not change as people come and go, that is, the queues and
 * the choices in the forms. A page whose frame has a different id must be loaded again.
 */
export function frameOf({ queues, services }: Board): string {
  const still = [
    queues.map(({ queue: { id, name } }) => [id, name]),
    services.filter(({ active }) => active).map(({ id, name }) => [id, name]),
  ];
  return hash("sha256", JSON.stringify(still), "base64url").slice(0, 12);
}

/** The parts of a board that belong to one session. */
export interface Forms {
  /** The start of the form that contains the buttons. */
  readonly acts: Html;
  /** The form that adds a walk-in to a queue. */
  readonly walkIn: (queueId: string) => Html;
  /** The path of the list of those who have left a queue today. */
  readonly ended: (queueId: string) => string;
}

/** Links to each queue. The page's script lets a browser choose which queues it shows. */
function queueNav(queues: Board["queues"]): Html {
  const links = queues.map(
    ({ queue: { id, name } }) =>
      html`<a class="button" href="#queue-${id}" data-queue="${id}"><span>${name}</span></a>
`,
  );
  const boxes = queues.map(
    ({
      queue: { id, name },
    }) => html`<div class="check"><input type="checkbox" id="show-${id}" value="${id}"><label for="show-${id}">${name}</label></div>
`,
  );
  return html`<nav class="queue-nav" aria-label="Queues">
${links}<details class="choice" id="choice" hidden><summary>Queues on this screen</summary>
<div class="fields">${boxes}</div>
<div class="actions"><button type="button" id="show-all">Show all</button><button type="button" id="full-screen" hidden>Full screen</button></div></details>
</nav>
`;
}

/**
 * The queues of a board, with the pieces in their places and the forms around them. `shown`: the part of
 * one queue's line to show instead of its beginning.
 */
export function framed(
  { queues }: Board,
  { parts, lists }: Snapshot,
  { acts, walkIn, ended }: Forms,
  shown: LinePart | null,
): Html {
  const first = (id: string) => (shown?.queueId === id ? shown.from : 1);
  const part = (id: string) => new Html(parts.get(id) ?? "");
  const rows = (id: string) => new Html([...(lists.get(id)?.values() ?? [])].join(""));
  const cards = queues.map(
    ({
      queue: { id, name },
    }) => html`<section class="card queue" id="queue-${id}" aria-labelledby="name-${id}">
${acts}<div class="card-head"><h2 id="name-${id}">${name}</h2><div class="actions" id="state-${id}">${part(`state-${id}`)}</div></div>
<dl class="counts" id="counts-${id}">${part(`counts-${id}`)}</dl>
<div id="next-${id}">${part(`next-${id}`)}</div>
<div id="serving-${id}">${part(`serving-${id}`)}</div>
</form>
${walkIn(id)}${acts}<ol class="people line" id="line-${id}" start="${first(id)}" aria-label="Waiting, in the order of calling">${rows(`line-${id}`)}</ol>
</form>
<div class="rest" id="more-${id}">${part(`more-${id}`)}</div>
<details class="ended"><summary>Ended today</summary><div data-people="${ended(id)}"><a class="button" href="${ended(id)}">Show them</a></div></details>
</section>
`,
  );
  return html`${queues.length > 1 && queueNav(queues)}<div class="queues">
${cards}</div>
`;
}
