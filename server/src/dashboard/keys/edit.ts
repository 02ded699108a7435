import type { RequestHandler, Response } from "express";
import { type Html, html } from "../../lib/html.js";
import { keyChanges, keyOptions, makeKey } from "../../owner/key.js";
import { idOfForm, newId } from "../../rules/ids.js";
import { isActive } from "../../rules/key.js";
import { isBelowKeyLimit } from "../../rules/key-limit.js";
import type { KeyInUse } from "../../rules/records.js";
import { formToken } from "../accounts/form-token.js";
import { ask } from "../ask.js";
import { wallClock } from "../date-format.js";
import { PageNotFound } from "../errors.js";
import { done } from "../flash.js";
import { type FormState, formError, readForm, untouched } from "../forms.js";
import type { DashboardDeps } from "../page.js";
import { at } from "../root.js";
import { secretView } from "../secret.js";
import { signedIn } from "../signed-in.js";
import {
  changeableFields,
  daysField,
  keyFields,
  keyLimitReached,
  notMade,
  scopesField,
} from "./form.js";
import { askedId, ownKey, scopeNames, stateBadge } from "./one-key.js";

const title = "New key";

/** `GET /keys/new` */
export function showNewKey({ store, random, send }: DashboardDeps): RequestHandler {
  return async (req, res) => {
    const { business } = signedIn(res);
    const [keys, now] = await Promise.all([store.keys.list(business.id), store.now()]);
    const body = isBelowKeyLimit(keys, now)
      ? form(res, untouched, newId(now, random))
      : keyLimitReached(res, "to have one more");
    send(req, res, { title, body });
  };
}

/**
 * `POST /keys`. The response itself shows the secret, so that the secret is stored nowhere. The form
 * carries a random id, so submitting it again, by reloading the page, makes no second key.
 */
export function createKey({ store, random, baseUrl, send }: DashboardDeps): RequestHandler {
  return async (req, res) => {
    const { business } = signedIn(res);
    const now = await store.now();
    const formId = askedId(req.body?.id) ?? newId(now, random);
    const checked = readForm(req, keyOptions, keyFields);
    if (!checked.ok) {
      return send(req, res, { title, body: form(res, checked.state, formId), status: 422 });
    }
    const id = idOfForm(business.id, formId);
    const { record, key } = makeKey(business.id, checked.value, now, random, id);
    const outcome = await store.keys.add(business.id, record);
    if (outcome !== "added") {
      const body = notMade(res, outcome, "to have one more");
      return send(req, res, { title, body, status: 409 });
    }
    const body = html`${secretView(key, baseUrl())}<p><a class="button primary" href="${at(res, `/keys?made=${id}`)}">I have copied it</a></p>
`;
    send(req, res, { title: record.name, body, status: 201 });
  };
}

function form(res: Response, state: FormState, formId: string): Html {
  return html`${formError(state)}<form class="card" method="post" action="${at(res, "/keys")}">
${formToken(res)}<input type="hidden" name="id" value="${formId}">
${changeableFields(state)}${daysField(state)}${scopesField(state)}<div class="actions"><button class="primary">Make the key</button><a class="button quiet" href="${at(res, "/keys")}">Cancel</a></div>
</form>
`;
}

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

/** `GET /keys/:keyId/revoke`: asks for confirmation, since revoking cannot be undone. */
export function askToRevoke({ store, send }: DashboardDeps): KeyRoute {
  return async (req, res) => {
    const { business } = signedIn(res);
    const { id, name, lastUsedAt } = await ownKey(store, business.id, req.params.keyId);
    const { moment } = wallClock(business);
    const used =
      lastUsedAt === null
        ? html`It was never used.`
        : html`It was last used on ${moment(lastUsedAt)}.`;
    const question = {
      title: "Revoke this key?",
      text: html`<strong>${name}</strong> stops working with its next request, for good. ${used}`,
      ...{ action: `/keys/${id}/revoke`, yes: "Revoke it", no: "Keep it", back: `/keys/${id}` },
    };
    send(req, res, ask(res, question));
  };
}

/** `POST /keys/:keyId/revoke`. A second time changes nothing. */
export function revokeKey({ store }: DashboardDeps): KeyRoute {
  return async (req, res) => {
    const { business } = signedIn(res);
    const revoked = await store.keys.revoke(business.id, req.params.keyId, await store.now());
    if (!revoked) throw new PageNotFound();
    done(req, res, "The key is revoked.", "/keys");
  };
}
