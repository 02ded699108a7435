import type { RequestHandler, Response } from "express";
import { type Html, html } from "../../lib/html.js";
import type { Queue } from "../../rules/records.js";
import { formToken } from "../accounts/form-token.js";
import type { DashboardDeps } from "../page.js";
import { at } from "../root.js";
import { signedIn } from "../signed-in.js";

/** `GET /queues` */
export function showQueues({ store, send }: DashboardDeps): RequestHandler {
  return async (req, res) => {
    const queues = await store.queues.list(signedIn(res).business.id);
    const actions = html`<a class="button primary" href="${at(res, "/queues/new")}">New queue</a>
`;
    const body = queues.length === 0 ? none(res) : table(res, queues);
    send(req, res, { title: "Queues", actions, body });
  };
}

function none(res: Response): Html {
  return html`<div class="empty">
<p>A queue is a line of people, such as those who wait at one desk. Tokens are issued in it, by this dashboard and by programs with a key.</p>
<p><a class="button" href="${at(res, "/queues/new")}">Add the first queue</a></p>
</div>
`;
}

function table(res: Response, queues: readonly Queue[]): Html {
  const rows = queues.map((queue) => {
    const { id, name, tokenSeries, isActive } = queue;
    const here = at(res, `/queues/${id}`);
    return html`<tr>
<th scope="row"><a href="${here}">${name}</a></th>
<td data-label="Tokens">${tokenSeries}1, ${tokenSeries}2 …</td>
<td data-label="State">${stateOf(queue)}</td>
<td class="acts"><form method="post" action="${here}/switch">${formToken(res)}<button name="isActive" value="${isActive ? "off" : "on"}">${isActive ? "Close" : "Open"}<span class="visually-hidden"> ${name}</span></button></form></td>
</tr>
`;
  });
  return html`<section class="card"><table class="stacks">
<caption class="visually-hidden">Queues, in the order in which they were added</caption>
<thead><tr><th scope="col">Name</th><th scope="col">Tokens</th><th scope="col">State</th><th scope="col"><span class="visually-hidden">Change</span></th></tr></thead>
<tbody>
${rows}</tbody>
</table></section>
`;
}

function stateOf({ isActive, isTokenCreationPaused }: Queue): Html {
  if (!isActive) return html`<span class="badge bad">Closed</span>`;
  return isTokenCreationPaused
    ? html`<span class="badge warn">Takes no new tokens</span>`
    : html`<span class="badge good">Open</span>`;
}
