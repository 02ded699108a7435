import { limits } from "@queue-api/contract";
import type { RequestHandler, Response } from "express";
import { type Html, html } from "../../lib/html.js";
import { isActive, keyState } from "../../rules/key.js";
import type { Business, KeyInUse } from "../../rules/records.js";
import { formToken } from "../accounts/form-token.js";
import { ask } from "../ask.js";
import { type WallClock, wallClock } from "../date-format.js";
import { PageRefusal } from "../errors.js";
import { done } from "../flash.js";
import type { DashboardDeps } from "../page.js";
import { at } from "../root.js";
import { signedIn } from "../signed-in.js";
import { askedId, daysUntil, scopeNames, stateBadge } from "./one-key.js";

/** `GET /keys`: the access switch, the keys that expire soon, the valid keys and the ended keys. */
export function showKeys({ store, send }: DashboardDeps): RequestHandler {
  return async (req, res) => {
    const { business } = signedIn(res);
    const [keys, now] = await Promise.all([store.keys.list(business.id), store.now()]);
    const made = askedId(req.query.made);
    const view: KeysView = { res, now, clock: wallClock(business), made };
    const newest = keys.toReversed();
    const active = newest.filter((key) => isActive(key, now));
    const over = newest.filter((key) => !isActive(key, now));
    const body = html`${accessSwitch(res, business)}${warnings(view, active)}<section class="card" aria-labelledby="active">
<div class="card-head">
<h2 id="active">Keys in use</h2>
<p class="soft">${active.length} of ${limits.activeKeys}</p>
</div>
${active.length === 0 ? noKeys(res) : keyTable(view, active)}</section>
${
  over.length > 0 &&
  html`<details class="card">
<summary>${over.length} revoked or expired</summary>
${keyTable(view, over)}</details>
`
}`;
    const actions = html`<div class="actions"><a class="button quiet" href="${at(res, "").replace(/\/dashboard$/, "")}/docs/">API reference</a><a class="button primary" href="${at(res, "/keys/new")}">New key</a></div>
`;
    send(req, res, { title: "Keys", actions, body });
  };
}

interface KeysView {
  readonly res: Response;
  readonly now: number;
  readonly clock: WallClock;
  /** The id of the key that was made just now, or null. */
  readonly made: string | null;
}

function noKeys(res: Response): Html {
  return html`<div class="empty">
<p>No program can use the API of this business yet. Make a separate key for each machine, so that you can revoke each one alone.</p>
<p><a class="button" href="${at(res, "/keys/new")}">Make the first key</a></p>
</div>
`;
}

function accessSwitch(res: Response, { apiAccess }: Business): Html {
  return html`<section class="card" aria-labelledby="access">
<div class="card-head">
<h2 id="access">Access by other programs <span class="badge ${apiAccess ? "good" : "bad"}">${apiAccess ? "On" : "Off"}</span></h2>
<div class="actions">
${
  apiAccess
    ? html`<a class="button" href="${at(res, "/keys/access")}">Switch off…</a>
`
    : html`<form method="post" action="${at(res, "/keys/access")}">${formToken(res)}<button class="primary" name="access" value="on">Switch on</button></form>
`
}</div>
</div>
<p class="soft">${
    apiAccess
      ? "Programs can use the keys below."
      : "All requests are refused, with any key. People at the counter and this dashboard are not affected."
  }</p>
</section>
`;
}

function warnings({ res, now, clock }: KeysView, keys: readonly KeyInUse[]): Html {
  const ending = keys.flatMap((key) =>
    keyState(key, now) === "expiring" && key.expiresAt !== null
      ? [{ ...key, end: key.expiresAt }]
      : [],
  );
  return html`${ending.map(
    ({ id, name, end }) =>
      html`<p class="flash kindly"><strong>${name}</strong> expires ${daysUntil(end, now)}, on ${clock.moment(end)}. <a href="${at(res, `/keys/${id}/rotate`)}">Replace it with a new one</a></p>
`,
  )}`;
}

function keyTable({ res, now, clock, made }: KeysView, keys: readonly KeyInUse[]): Html {
  const rows = keys.map((key) => {
    const { id, name, createdAt, expiresAt, lastUsedAt, allowIps } = key;
    return html`<tr>
<th scope="row"><a href="${at(res, `/keys/${id}`)}">${name}</a>${
      id === made && html` <span class="badge good">New</span>`
    }</th>
<td data-label="State">${stateBadge(key, now)}</td>
<td data-label="Permissions">${scopeNames(key.scopes)}</td>
<td data-label="Created"><span>${clock.moment(createdAt)}<br><code class="soft">${id}</code></span></td>
<td data-label="Expires">${expiresAt === null ? "never" : clock.moment(expiresAt)}</td>
<td data-label="Last used">${lastUsedAt === null ? "never" : clock.moment(lastUsedAt)}</td>
<td data-label="From">${allowIps.length === 0 ? "anywhere" : addresses(allowIps)}</td>
<td data-label="Limit per minute">${key.requestsPerMinute}, ${key.writesPerMinute} writes</td>
</tr>
`;
  });
  return html`<div class="scrolls"><table class="stacks">
<thead><tr><th scope="col">Name</th><th scope="col">State</th><th scope="col">Permissions</th><th scope="col">Created</th><th scope="col">Expires</th><th scope="col">Last used</th><th scope="col">From</th><th scope="col">Limit per minute</th></tr></thead>
<tbody>
${rows}</tbody>
</table></div>
`;
}

function addresses(allowIps: readonly string[]): string {
  const [first = "", ...more] = allowIps;
  return more.length === 0 ? first : `${first} and ${more.length} more`;
}

/** `GET /keys/access`: asks for confirmation before the API is switched off. */
export function askToSwitchOff({ send }: DashboardDeps): RequestHandler {
  return (req, res) => {
    const question = {
      title: "Switch off access?",
      text: html`All requests with keys of this business are refused until you switch access on again. The keys stay valid.`,
      ...{ action: "/keys/access", yes: "Switch off", no: "Leave it on", back: "/keys" },
      value: ["access", "off"] as const,
    };
    send(req, res, ask(res, question));
  };
}

/** `POST /keys/access` */
export function switchAccess({ store }: DashboardDeps): RequestHandler {
  return async (req, res) => {
    const { business } = signedIn(res);
    const wanted: unknown = req.body?.access;
    if (wanted !== "on" && wanted !== "off") {
      const advice = "The form did not say whether access should be on or off.";
      throw new PageRefusal(422, "Nothing was changed", advice);
    }
    await store.businesses.change(business.id, { apiAccess: wanted === "on" });
    done(req, res, `Access by other programs is ${wanted}.`, "/keys");
  };
}
