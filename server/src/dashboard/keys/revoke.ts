import type { RequestHandler } from "express";
import { html } from "../../lib/html.js";
import { formToken } from "../accounts/form-token.js";
import { PageNotFound } from "../errors.js";
import { done } from "../flash.js";
import type { DashboardDeps } from "../page.js";
import { at } from "../root.js";
import { signedIn } from "../signed-in.js";
import { wallClock } from "../wall-clock.js";
import { ownKey } from "./own-key.js";

type KeyRoute = RequestHandler<{ keyId: string }>;

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
    const body = html`<form class="card alone" method="post" action="${at(res, `/keys/${id}/revoke`)}">
${formToken(res)}<p><strong>${name}</strong> stops working with its next request, for good. ${used}</p>
<div class="actions"><button class="danger">Revoke it</button><a class="button" href="${at(res, `/keys/${id}`)}">Keep it</a></div>
</form>
`;
    send(req, res, { title: "Revoke this key?", body });
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
