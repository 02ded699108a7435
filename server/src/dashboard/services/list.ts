import type { RequestHandler, Response } from "express";
import { type Html, html } from "../../lib/html.js";
import type { Service } from "../../rules/records.js";
import { formToken } from "../accounts/form-token.js";
import { inHours } from "../duration.js";
import type { DashboardDeps } from "../page.js";
import { at } from "../root.js";
import { signedIn } from "../signed-in.js";

/** `GET /services` */
export function showServices({ store, send }: DashboardDeps): RequestHandler {
  return async (req, res) => {
    const services = await store.services.list(signedIn(res).business.id);
    const actions = html`<a class="button primary" href="${at(res, "/services/new")}">New service</a>
`;
    const body = services.length === 0 ? none(res) : table(res, services);
    send(req, res, { title: "Services", actions, body });
  };
}

function none(res: Response): Html {
  return html`<div class="empty">
<p>A service is what people come for. With its usual time, waits can be predicted from the first token on.</p>
<p><a class="button" href="${at(res, "/services/new")}">Add the first service</a></p>
</div>
`;
}

function table(res: Response, services: readonly Service[]): Html {
  const rows = services.map(({ id, name, price, baseTimeMinutes, active }) => {
    const here = at(res, `/services/${id}`);
    return html`<tr>
<th scope="row"><a href="${here}">${name}</a></th>
<td data-label="Usual time">${baseTimeMinutes === null ? "unknown" : inHours(baseTimeMinutes)}</td>
<td data-label="Price">${price === null ? "none" : `₹${price}`}</td>
<td data-label="State"><span class="badge ${active && "good"}">${active ? "Offered" : "Off"}</span></td>
<td class="acts"><form method="post" action="${here}/switch">${formToken(res)}<button name="active" value="${active ? "off" : "on"}">${active ? "Switch off" : "Switch on"}<span class="visually-hidden"> ${name}</span></button></form></td>
</tr>
`;
  });
  return html`<section class="card"><table class="stacks">
<caption class="visually-hidden">Services, in the order in which they were added</caption>
<thead><tr><th scope="col">Name</th><th scope="col">Usual time</th><th scope="col">Price</th><th scope="col">State</th><th scope="col"><span class="visually-hidden">Change</span></th></tr></thead>
<tbody>
${rows}</tbody>
</table></section>
`;
}
