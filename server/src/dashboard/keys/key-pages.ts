import type { z } from "zod";
import { html } from "../../lib/html.js";
import { keyChanges, keyOptions, makeKey } from "../../owner/key.js";
import { isActive, isBelowKeyLimit } from "../../rules/key.js";
import type { KeyWithLastUse } from "../../rules/records.js";
import { wallClock } from "../date-format.js";
import { type FormState, formCard, idField } from "../forms.js";
import type { View } from "../layout.js";
import { orNotFound, PageNotFound } from "../page-error.js";
import { dashboardPath } from "../request.js";
import { type Resource, targetField } from "../resource.js";
import { done, type Visit } from "../visit.js";
import {
  changeableInputs,
  daysInput,
  keyFields,
  notMade,
  scopeNames,
  scopesInput,
  secretView,
  stateBadge,
} from "./key-form.js";
import { showKeys } from "./key-list.js";

/** The API keys. A new one is shown by the response itself, so that its secret is stored nowhere. */
export const keys: Resource<
  KeyWithLastUse,
  z.output<typeof keyOptions>,
  z.output<typeof keyChanges>
> = {
  path: "/keys",
  list: showKeys,
  find: (visit) => ownKey(visit, visit.id),
  view: (visit, state, target) =>
    typeof target === "string" ? newKey(visit, state, target) : oneKey(visit, state, target),
  add: {
    schema: keyOptions,
    fields: keyFields.added,
    async act(visit, input, { now, random, id }) {
      const { res, store, business } = visit;
      const { record, key } = makeKey(business.id, input, now, random, id);
      const outcome = await store.keys.add(business.id, record);
      if (outcome !== "added") return notMade(visit, title, outcome);
      const next = html`<p><a class="button primary" href="${dashboardPath(res, `/keys?made=${id}`)}">I have copied it</a></p>
`;
      return secretView(visit, record.name, key, next);
    },
  },
  change: {
    schema: keyChanges.required(),
    fields: keyFields.changed,
    async act({ store, business }, { id }, input, seen) {
      if (!(await store.keys.change(business.id, id, input, seen))) throw new PageNotFound();
      return done(
        `${input.name} is changed. The change applies from the next request on.`,
        `/keys/${id}`,
      );
    },
  },
  removal: {
    verb: "revoke",
    question({ id, name, createdAt, lastUsedAt }, { business }) {
      const { moment } = wallClock(business);
      const used =
        lastUsedAt === null
          ? html`It was never used.`
          : html`It was last used on ${moment(lastUsedAt)}.`;
      return {
        title: "Revoke this key?",
        text: html`<strong>${name}</strong>, made on ${moment(createdAt)}, stops working with its next request, for good. ${used}`,
        back: `/keys/${id}`,
      };
    },
    /** A second time changes nothing. */
    async act({ store, business }, { id, name }) {
      await store.keys.change(business.id, id, { revokedAt: store.now() });
      return done(`${name} is revoked.`, "/keys");
    },
  },
};

const title = "New key";

/** A key of the business. @throws PageNotFound if the business has no key with that id. */
export async function ownKey({ store, business }: Visit, keyId: string): Promise<KeyWithLastUse> {
  return orNotFound((await store.keys.list(business.id)).find(({ id }) => id === keyId));
}

async function newKey(visit: Visit, state: FormState, formId: string): Promise<View> {
  const { res, store, business } = visit;
  const keys = await store.keys.list(business.id);
  if (!isBelowKeyLimit(keys, store.now())) {
    return { ...notMade(visit, title, "too_many_active"), status: 200 };
  }
  const body = formCard(res, {
    action: "/keys",
    page: "/keys/new",
    state,
    submit: "Make the key",
    back: ["/keys", "Cancel"],
    fields: [
      idField(formId),
      ...changeableInputs(state, null),
      daysInput(state),
      scopesInput(state),
    ],
  });
  return { title, body };
}

/** The details of a key, the form to change it, and how to replace or revoke it. */
async function oneKey({ res, store, business }: Visit, state: FormState, key: KeyWithLastUse) {
  const { id, name, scopes, createdAt, expiresAt, revokedAt, lastUsedAt } = key;
  const now = store.now();
  const active = isActive(key, now);
  const { moment } = wallClock(business);
  const to = (action: string) => dashboardPath(res, `/keys/${id}/${action}`);
  const actions = html`${
    revokedAt === null &&
    html`<div class="actions"><a class="button" href="${to("rotate")}">Replace…</a>${active && html`<a class="button danger" href="${to("revoke")}">Revoke…</a>`}</div>
`
  }`;
  const facts = html`<dl class="card facts">
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
<dt>Its requests</dt><dd><a href="${dashboardPath(res, `/audit?key=${id}`)}">In the audit log</a></dd>
</dl>
`;
  const form = formCard(res, {
    action: `/keys/${id}`,
    title: "Change it",
    state,
    submit: "Save",
    fields: [targetField(key), ...changeableInputs(state, key)],
    back: ["/keys", "Back"],
  });
  return { title: name, actions, body: html`${facts}${active && form}` };
}
