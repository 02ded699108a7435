import type { RequestHandler } from "express";
import { html } from "../../lib/html.js";
import { formToken } from "../accounts/form-token.js";
import { PageRefusal } from "../errors.js";
import { done } from "../flash.js";
import type { DashboardDeps } from "../page.js";
import { at } from "../root.js";
import { signedIn } from "../signed-in.js";

/** `GET /keys/access`: asks for confirmation before the API is switched off. */
export function askToSwitchOff({ send }: DashboardDeps): RequestHandler {
  return (req, res) => {
    const body = html`<form class="card alone" method="post" action="${at(res, "/keys/access")}">
${formToken(res)}<p>All requests with keys of this business are refused until you switch access on again. The keys stay valid.</p>
<div class="actions"><button class="danger" name="access" value="off">Switch off</button><a class="button" href="${at(res, "/keys")}">Leave it on</a></div>
</form>
`;
    send(req, res, { title: "Switch off access?", body });
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
