import type { RequestHandler, Response } from "express";
import { type Html, html } from "../../lib/html.js";
import { keyChanges } from "../../owner/key-options.js";
import { isActive } from "../../rules/key.js";
import type { KeyInUse } from "../../rules/records.js";
import { formToken } from "../accounts/form-token.js";
import { PageNotFound } from "../errors.js";
import { done } from "../flash.js";
import { type FormState, formError, readForm, untouched } from "../forms.js";
import type { DashboardDeps } from "../page.js";
import { at } from "../root.js";
import { signedIn } from "../signed-in.js";
import { wallClock } from "../wall-clock.js";
import { changeableFields, keyFields } from "./key-fields.js";
import { scopeNames, stateBadge } from "./key-words.js";
import { ownKey } from "./own-key.js";

type KeyRoute = RequestHandler<{ keyId: string }>;

/** `GET /keys/:keyId`: its details, the form to change it, and how to revoke it. */
export function showKey({ store, send }: DashboardDeps): KeyRoute {
  return async (req, res) => {
    const key = await ownKey(store, signedIn(res).business.id, req.params.keyId);
    send(req, res, view(res, key, await store.now(), untouched));
  };
}

/** `POST /keys/:keyId` */
export function changeKey({ store, send }: DashboardDeps): KeyRoute {
  return async (req, res) => {
    const { business } = signedIn(res);
    const key = await ownKey(store, business.id, req.params.keyId);
    const { name, allowIps, requestsPerMinute, writesPerMinute } = keyFields;
    const fields = { name, allowIps, requestsPerMinute, writesPerMinute };
    const checked = readForm(req, keyChanges.required(), fields);
    if (!checked.ok) {
      return send(req, res, { ...view(res, key, await store.now(), checked.state), status: 422 });
    }
    if (!(await store.keys.change(business.id, key.id, checked.value))) throw new PageNotFound();
    done(req, res, "The key is changed, from its next request on.", `/keys/${key.id}`);
  };
}

function view(res: Response, key: KeyInUse, now: number, state: FormState) {
  const active = isActive(key, now);
  const to = (step: string) => at(res, `/keys/${key.id}/${step}`);
  const actions = html`${
    key.revokedAt === null &&
    html`<div class="actions"><a class="button" href="${to("rotate")}">Replace…</a>${active && html`<a class="button danger" href="${to("revoke")}">Revoke…</a>`}</div>
`
  }`;
  const body = html`${facts(res, key, now)}${
    active &&
    html`${formError(state)}<form class="card" method="post" action="${at(res, `/keys/${key.id}`)}">
<h2>Change it</h2>
${formToken(res)}${changeableFields(state, key)}<div class="actions"><button class="primary">Save</button><a class="button quiet" href="${at(res, "/keys")}">Back</a></div>
</form>
`
  }`;
  return { title: key.name, actions, body };
}

/** The details and the state of a key. */
function facts(res: Response, key: KeyInUse, now: number): Html {
  const { id, scopes, createdAt, expiresAt, revokedAt, lastUsedAt } = key;
  const { moment } = wallClock(signedIn(res).business);
  return html`<dl class="card facts">
<dt>State</dt><dd>${stateBadge(key, now)}</dd>
<dt>Id</dt><dd><code>${id}</code></dd>
<dt>Permissions</dt><dd>${scopeNames(scopes)}</dd>
<dt>Created</dt><dd>${moment(createdAt)}</dd>
<dt>Expires</dt><dd>${expiresAt === null ? "never" : moment(expiresAt)}</dd>
${
  revokedAt !== null &&
  html`<dt>Revoked</dt><dd>${moment(revokedAt)}</dd>
`
}<dt>Last used</dt><dd>${lastUsedAt === null ? "never" : html`${moment(lastUsedAt)}, to the minute`}</dd>
<dt>Its requests</dt><dd><a href="${at(res, `/audit?key=${id}`)}">In the audit log</a></dd>
</dl>
`;
}
