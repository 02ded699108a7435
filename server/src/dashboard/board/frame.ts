import { hash } from "node:crypto";
import { Html, html } from "../../lib/html.js";
import type { Board, LinePart } from "../../store/port/boards.js";
import type { Snapshot } from "./snapshot.js";

/**
 * Names what of a board stands still while people come and go: its queues, and what its forms offer. A
 * page whose frame has another name must be loaded anew.
 */
export function frameOf({ queues, services }: Board): string {
  const still = [
    queues.map(({ queue: { id, name } }) => [id, name]),
    services.filter(({ active }) => active).map(({ id, name }) => [id, name]),
  ];
  return hash("sha256", JSON.stringify(still), "base64url").slice(0, 12);
}

/** What of a board is made for one session alone. */
export interface Forms {
  /** The beginning of the form that buttons stand in. */
  readonly acts: Html;
  /** The form for whoever walks in to a queue. */
  readonly walkIn: (queueId: string) => Html;
}

/**
 * The queues of a board, with the pieces in their places and the forms around them. `shown`: what is shown
 * of one queue's line instead of its first people.
 */
export function framed(
  { queues }: Board,
  { parts, lists }: Snapshot,
  { acts, walkIn }: Forms,
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
</section>
`,
  );
  return html`<div class="queues">
${cards}</div>
`;
}
