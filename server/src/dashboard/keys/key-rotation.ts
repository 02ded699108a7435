import { z } from "zod";
import { type Html, html } from "../../lib/html.js";
import { keyOptions, makeKey, successorOptions } from "../../owner/key.js";
import { isBelowKeyLimit } from "../../rules/key.js";
import type { KeyWithLastUse } from "../../rules/records.js";
import { formToken } from "../accounts/form-token.js";
import { wallClock } from "../date-format.js";
import { type FormState, formCard, idField, untouchedForm } from "../forms.js";
import type { View } from "../layout.js";
import { PageError } from "../page-error.js";
import { dashboardPath } from "../request.js";
import { newFormId, newRecord, submitted } from "../resource.js";
import { stackTable } from "../tables.js";
import type { HandlerResult, Visit } from "../visit.js";
import { daysInput, keyFields, notMade, secretView, stateBadge } from "./key-form.js";
import { ownKey } from "./key-pages.js";

const successor = {
  schema: z.strictObject({ days: keyOptions.shape.days }),
  fields: keyFields.successor,
};

/** `GET /keys/:id/rotate`: explains what will happen, or that the key limit is reached. */
export async function askToRotate(visit: Visit): Promise<View> {
  const { store, business } = visit;
  const key = await replaceable(visit);
  const keys = await store.keys.list(business.id);
  return isBelowKeyLimit(keys, store.now())
    ? question(visit, key, untouchedForm, newFormId(visit))
    : { ...notMade(visit, titleOf(key), "too_many_active", true), status: 200 };
}

/** `POST /keys/:id/rotate`: makes the new key, and leaves the old one unchanged. */
export async function rotateKey(visit: Visit): Promise<HandlerResult> {
  const { res, store, business } = visit;
  const key = await replaceable(visit);
  const { formId, context } = newRecord(visit);
  const { now, random, id } = context;
  const ask = (state: FormState) => question(visit, key, state, formId);
  return submitted(visit, successor, ask, async ({ days }) => {
    const options = { ...successorOptions(key), days };
    const made = makeKey(business.id, options, now, random, id);
    const outcome = await store.keys.add(business.id, made.record);
    if (outcome !== "added") return notMade(visit, titleOf(key), outcome, true);
    const next = html`<section class="card">
<h2>What comes next</h2>
<p>Both keys work now. Install the new one on its machine. When it is in use, revoke the old one.</p>
<p><a class="button primary" href="${dashboardPath(res, `/keys/${key.id}/rotate/${id}`)}">I have copied it</a></p>
</section>
`;
    return secretView(visit, titleOf(key), made.key, next);
  });
}

/** `GET /keys/:id/rotate/:newId`: shows which key is in use, and offers to end the old one. */
export async function showRotation(visit: Visit): Promise<View> {
  const { req, store, business } = visit;
  const [old, successor] = await Promise.all([
    ownKey(visit, visit.id),
    ownKey(visit, String(req.params.newId)),
  ]);
  const now = store.now();
  const { moment } = wallClock(business);
  const row = (which: string, key: KeyWithLastUse) => ({
    cells: {
      Key: which,
      State: stateBadge(key, now),
      Created: moment(key.createdAt),
      "Last used": key.lastUsedAt === null ? "never" : moment(key.lastUsedAt),
    },
  });
  const table = stackTable({
    caption: "The new key and the old one",
    rows: [row("New", successor), row("Old", old)],
  });
  const body = html`<section class="card" id="rotation" data-live="5">
${table}
${advice(visit, old, successor)}</section>
`;
  return { title: titleOf(old), body };
}

function advice({ res }: Visit, old: KeyWithLastUse, successor: KeyWithLastUse): Html {
  const back = html`<a class="button" href="${dashboardPath(res, `/keys?made=${successor.id}`)}">To the keys</a>`;
  if (old.revokedAt !== null) {
    return html`<p>The old key is revoked. The replacement is complete.</p>
<div class="actions">${back}</div>
`;
  }
  const used = successor.lastUsedAt !== null;
  return html`<p>${
    used
      ? "The new key is in use. Revoke the old one when no program uses it."
      : "The new key has not been used yet. Install it on its machine. This page shows when it is used."
  }</p>
<form class="actions" method="post" action="${dashboardPath(res, `/keys/${old.id}/revoke`)}">
${formToken(res)}<button class="${used ? "primary" : "danger"}">Revoke the old key</button>${back}</form>
`;
}

async function replaceable(visit: Visit): Promise<KeyWithLastUse> {
  const key = await ownKey(visit, visit.id);
  if (key.revokedAt === null) return key;
  const advice = "This key was revoked, so there is nothing to replace. Make a new one instead.";
  throw new PageError(409, "This key is revoked", advice);
}

function titleOf({ name }: KeyWithLastUse): string {
  return `Replace ${name}`;
}

function question({ res }: Visit, key: KeyWithLastUse, state: FormState, formId: string): View {
  const { days, scopes } = successorOptions(key);
  const text = html`<ol>
<li>A new key is made with the same name, addresses, limits and scopes: ${scopes.join(", ")}.</li>
<li>You install it on the machine that uses <strong>${key.name}</strong>. Meanwhile both keys work.</li>
<li>You revoke the old key when the new one is in use. Nothing is interrupted.</li>
</ol>
`;
  const body = formCard(res, {
    action: `/keys/${key.id}/rotate`,
    text,
    state,
    submit: "Make the new key",
    fields: [idField(formId), daysInput(state, days)],
    back: [`/keys/${key.id}`, "Cancel"],
  });
  return { title: titleOf(key), body };
}
