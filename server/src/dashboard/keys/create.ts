import type { RequestHandler, Response } from "express";
import { type Html, html } from "../../lib/html.js";
import { makeKey } from "../../owner/key.js";
import { keyOptions } from "../../owner/key-options.js";
import { idOfForm, newId } from "../../rules/ids.js";
import { isBelowKeyLimit } from "../../rules/key-limit.js";
import { formToken } from "../accounts/form-token.js";
import { type FormState, formError, readForm, untouched } from "../forms.js";
import type { DashboardDeps } from "../page.js";
import { at } from "../root.js";
import { signedIn } from "../signed-in.js";
import { askedId } from "./asked-id.js";
import { changeableFields, daysField, keyFields, scopesField } from "./key-fields.js";
import { keyLimitReached, notMade } from "./key-limit.js";
import { secretView } from "./secret.js";

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
    send(req, res, { title: record.name, body, status: 201, scripts: ["secret.js"] });
  };
}

function form(res: Response, state: FormState, formId: string): Html {
  return html`${formError(state)}<form class="card" method="post" action="${at(res, "/keys")}">
${formToken(res)}<input type="hidden" name="id" value="${formId}">
${changeableFields(state)}${daysField(state)}${scopesField(state)}<div class="actions"><button class="primary">Make the key</button><a class="button quiet" href="${at(res, "/keys")}">Cancel</a></div>
</form>
`;
}
