import type { RequestHandler, Response } from "express";
import { z } from "zod";
import { type Html, html } from "../../lib/html.js";
import { keyOptions, makeKey, successorOptions } from "../../owner/key.js";
import { idOfForm, newId } from "../../rules/ids.js";
import { isBelowKeyLimit } from "../../rules/key-limit.js";
import type { KeyInUse } from "../../rules/records.js";
import { formToken } from "../accounts/form-token.js";
import { wallClock } from "../date-format.js";
import { PageRefusal } from "../errors.js";
import { type FormState, readForm, untouched } from "../forms.js";
import type { DashboardDeps } from "../page.js";
import { at } from "../root.js";
import { secretView } from "../secret.js";
import { signedIn } from "../signed-in.js";
import { daysField, keyFields, keyLimitReached, notMade } from "./form.js";
import { askedId, ownKey, stateBadge } from "./one-key.js";

type KeyRoute = RequestHandler<{ keyId: string }>;

const successorForm = z.strictObject({ days: keyOptions.shape.days });

/** `GET /keys/:keyId/rotate`: explains what will happen, or that the key limit is reached. */
export function askToRotate({ store, random, send }: DashboardDeps): KeyRoute {
  return async (req, res) => {
    const key = await replaceable(req.params.keyId, res, store);
    const [keys, now] = await Promise.all([store.keys.list(key.businessId), store.now()]);
    const asked = question(res, key, untouched, newId(now, random));
    send(
      req,
      res,
      isBelowKeyLimit(keys, now)
        ? asked
        : { ...asked, body: keyLimitReached(res, "to replace one") },
    );
  };
}

/** `POST /keys/:keyId/rotate`: makes the new key, and leaves the old one unchanged. */
export function rotateKey({ store, random, baseUrl, send }: DashboardDeps): KeyRoute {
  return async (req, res) => {
    const key = await replaceable(req.params.keyId, res, store);
    const now = await store.now();
    const formId = askedId(req.body?.id) ?? newId(now, random);
    const checked = readForm(req, successorForm, { days: keyFields.days });
    if (!checked.ok) {
      return send(req, res, { ...question(res, key, checked.state, formId), status: 422 });
    }
    const id = idOfForm(key.businessId, formId);
    const options = { ...successorOptions(key), days: checked.value.days };
    const made = makeKey(key.businessId, options, now, random, id);
    const outcome = await store.keys.add(key.businessId, made.record);
    const title = `Replace ${key.name}`;
    if (outcome !== "added") {
      const body = notMade(res, outcome, "to replace one");
      return send(req, res, { title, body, status: 409 });
    }
    const body = html`${secretView(made.key, baseUrl())}<section class="card">
<h2>What comes next</h2>
<p>Both keys work now. Install the new one on its machine. When it is in use, revoke the old one.</p>
<p><a class="button primary" href="${at(res, `/keys/${key.id}/rotate/${id}`)}">I have copied it</a></p>
</section>
`;
    send(req, res, { title, body, status: 201 });
  };
}

/** `GET /keys/:keyId/rotate/:newKeyId`: shows which key is in use, and offers to end the old one. */
export function showRotation({
  store,
  send,
}: DashboardDeps): RequestHandler<{ keyId: string; newKeyId: string }> {
  return async (req, res) => {
    const { business } = signedIn(res);
    const [old, successor, now] = await Promise.all([
      ownKey(store, business.id, req.params.keyId),
      ownKey(store, business.id, req.params.newKeyId),
      store.now(),
    ]);
    const { moment } = wallClock(business);
    const row = (which: string, key: KeyInUse) => html`<tr>
<th scope="row">${which}</th>
<td data-label="State">${stateBadge(key, now)}</td>
<td data-label="Created">${moment(key.createdAt)}</td>
<td data-label="Last used">${key.lastUsedAt === null ? "never" : moment(key.lastUsedAt)}</td>
</tr>
`;
    const body = html`<section class="card" id="rotation" data-live="5">
<table class="stacks">
<thead><tr><th scope="col">Key</th><th scope="col">State</th><th scope="col">Created</th><th scope="col">Last used</th></tr></thead>
<tbody>
${row("New", successor)}${row("Old", old)}</tbody>
</table>
${advice(res, old, successor)}</section>
`;
    send(req, res, { title: `Replace ${old.name}`, body });
  };
}

function advice(res: Response, old: KeyInUse, successor: KeyInUse): Html {
  const back = html`<a class="button" href="${at(res, `/keys?made=${successor.id}`)}">To the keys</a>`;
  if (old.revokedAt !== null) {
    return html`<p>The old key is revoked. The replacement is complete.</p>
<div class="actions">${back}</div>
`;
  }
  const used = successor.lastUsedAt !== null;
  return html`<p>${
    used
      ? "The new key is in use. Revoke the old one when no program uses it any more."
      : "The new key has not been used yet. Install it on its machine. This page shows when it is used."
  }</p>
<form class="actions" method="post" action="${at(res, `/keys/${old.id}/revoke`)}">
${formToken(res)}<button class="${used ? "primary" : "danger"}">Revoke the old key</button>${back}</form>
`;
}

async function replaceable(
  keyId: string,
  res: Response,
  store: DashboardDeps["store"],
): Promise<KeyInUse> {
  const key = await ownKey(store, signedIn(res).business.id, keyId);
  if (key.revokedAt === null) return key;
  const advice = "This key was revoked, so there is nothing to replace. Make a new one instead.";
  throw new PageRefusal(409, "This key is revoked", advice);
}

function question(res: Response, key: KeyInUse, state: FormState, formId: string) {
  const { days, scopes } = successorOptions(key);
  const body = html`<form class="card" method="post" action="${at(res, `/keys/${key.id}/rotate`)}">
${formToken(res)}<input type="hidden" name="id" value="${formId}">
<ol>
<li>A new key is made with the same name, addresses, limits and scopes: ${scopes.join(", ")}.</li>
<li>You install it on the machine that uses <strong>${key.name}</strong>. Meanwhile both keys work.</li>
<li>You revoke the old key when the new one is in use. Nothing is interrupted.</li>
</ol>
${daysField(state, days)}<div class="actions"><button class="primary">Make the new key</button><a class="button quiet" href="${at(res, `/keys/${key.id}`)}">Cancel</a></div>
</form>
`;
  return { title: `Replace ${key.name}`, body };
}
