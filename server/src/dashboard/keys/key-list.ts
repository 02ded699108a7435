import { id as idFormat, limits } from "@queue-api/contract";
import { type Html, html } from "../../lib/html.js";
import { isActive, keyState } from "../../rules/key.js";
import type { KeyWithLastUse } from "../../rules/records.js";
import { formToken } from "../accounts/form-token.js";
import { ask } from "../ask.js";
import { wallClock } from "../date-format.js";
import type { View } from "../layout.js";
import { PageError } from "../page-error.js";
import { dashboardPath } from "../request.js";
import { stackTable } from "../tables.js";
import { done, type Redirect, type Visit } from "../visit.js";
import { scopeNames, stateBadge } from "./key-form.js";

/** `GET /keys`: the access switch, the keys that expire soon, the valid keys and the ended keys. */
export async function showKeys(visit: Visit): Promise<View> {
  const { res, store, business } = visit;
  const keys = await store.keys.list(business.id);
  const now = store.now();
  const newest = keys.toReversed();
  const active = newest.filter((key) => isActive(key, now));
  const over = newest.filter((key) => !isActive(key, now));
  const none = html`<div class="empty">
<p>No program can use the API of this business yet. Make a separate key for each machine, so that you can revoke each one alone.</p>
<p><a class="button" href="${dashboardPath(res, "/keys/new")}">Make the first key</a></p>
</div>
`;
  const body = html`${accessSwitch(visit)}${warnings(visit, active, now)}<section class="card" aria-labelledby="active">
<div class="card-head">
<h2 id="active">Keys in use</h2>
<p class="soft">${active.length} of ${limits.activeKeys}</p>
</div>
${active.length === 0 ? none : keyTable(visit, "Keys in use", active, now)}</section>
${
  over.length > 0 &&
  html`<details class="card">
<summary>${over.length} revoked or expired</summary>
${keyTable(visit, "Revoked and expired keys", over, now)}</details>
`
}`;
  const actions = html`<div class="actions"><a class="button quiet" href="${dashboardPath(res, "").replace(/\/dashboard$/, "")}/docs/">API reference</a><a class="button primary" href="${dashboardPath(res, "/keys/new")}">New key</a></div>
`;
  return { title: "Keys", actions, body };
}

function accessSwitch({ res, business: { apiAccess } }: Visit): Html {
  return html`<section class="card" aria-labelledby="access">
<div class="card-head">
<h2 id="access">Access by other programs <span class="badge ${apiAccess ? "good" : "bad"}">${apiAccess ? "On" : "Off"}</span></h2>
<div class="actions">
${
  apiAccess
    ? html`<a class="button" href="${dashboardPath(res, "/keys/access")}">Switch off…</a>
`
    : html`<form method="post" action="${dashboardPath(res, "/keys/access")}">${formToken(res)}<button class="primary" name="access" value="on">Switch on</button></form>
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

function warnings({ res, business }: Visit, keys: readonly KeyWithLastUse[], now: number): Html {
  const { moment } = wallClock(business);
  const ending = keys.flatMap((key) =>
    keyState(key, now) === "expiring" && key.expiresAt !== null
      ? [{ ...key, end: key.expiresAt }]
      : [],
  );
  return html`${ending.map(
    ({ id, name, end }) =>
      html`<p class="flash warning"><strong>${name}</strong> expires ${daysUntil(end, now)}, on ${moment(end)}. <a href="${dashboardPath(res, `/keys/${id}/rotate`)}">Replace it with a new one</a></p>
`,
  )}`;
}

/** The time until a key ends: `in 9 days`. */
function daysUntil(end: number, now: number): string {
  const days = Math.round((end - now) / 86_400_000);
  if (days < 1) return "within a day";
  return days === 1 ? "in a day" : `in ${days} days`;
}

function keyTable(
  { req, res, business }: Visit,
  caption: string,
  keys: readonly KeyWithLastUse[],
  now: number,
): Html {
  const { moment } = wallClock(business);
  const made = idFormat.safeParse(req.query.made).data;
  const rows = keys.map((key, place) => {
    const { id, name, scopes, createdAt, expiresAt, lastUsedAt, allowIps } = key;
    const isNew = id === made && html` <span class="badge good">New</span>`;
    // The newest is first.
    const isOlder = keys.slice(0, place).some((newer) => newer.name === name);
    const older = isOlder && html` <span class="badge">Older key with this name</span>`;
    const cells = {
      Name: html`<a href="${dashboardPath(res, `/keys/${id}`)}">${name}</a>${isNew}${older}`,
      State: stateBadge(key, now),
      Permissions: scopeNames(scopes),
      Created: html`<span>${moment(createdAt)}<br><code class="soft">${id}</code></span>`,
      Expires: expiresAt === null ? "never" : moment(expiresAt),
      "Last used": lastUsedAt === null ? "never" : moment(lastUsedAt),
      From: allowIps.length === 0 ? "anywhere" : addresses(allowIps),
      "Limit per minute": `${key.requestsPerMinute}, ${key.writesPerMinute} writes`,
    };
    return { cells };
  });
  return html`<div class="scrolls">${stackTable({ caption, rows })}</div>
`;
}

function addresses(allowIps: readonly string[]): string {
  const [first = "", ...more] = allowIps;
  return more.length === 0 ? first : `${first} and ${more.length} more`;
}

/** `GET /keys/access`: asks for confirmation before the API is switched off. */
export function askToSwitchOff({ res }: Visit): View {
  return ask(res, {
    title: "Switch off access?",
    text: html`All requests with keys of this business are refused until you switch access on again. The keys stay valid.`,
    action: "/keys/access",
    yes: "Switch off",
    no: "Leave it on",
    back: "/keys",
    value: ["access", "off"],
  });
}

/** `POST /keys/access` */
export async function switchAccess({ req, store, business, audit }: Visit): Promise<Redirect> {
  const wanted: unknown = req.body?.access;
  if (wanted !== "on" && wanted !== "off") {
    const advice = "The form did not say whether access should be on or off.";
    throw new PageError(422, "Nothing was changed", advice);
  }
  audit?.setPath(`/keys/access/${wanted}`);
  await store.businesses.change(business.id, { apiAccess: wanted === "on" });
  return done(`Access by other programs is ${wanted}.`, "/keys");
}
