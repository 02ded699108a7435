import { html } from "../../html.js";
import type { Page } from "../page.js";
import { at } from "../root.js";
import { signedIn } from "../signed-in.js";
import { wallClock } from "../wall-clock.js";
import { formToken } from "./form-token.js";

/** Who is signed in here, until when, and how to end that everywhere. */
export const account: Page = {
  path: "/account",
  title: "Account",
  addRoutes: (router, { send }) => {
    router.get("/account", (req, res) => {
      const { owner, business, expiresAt } = signedIn(res);
      const { moment, zone } = wallClock(business);
      const body = html`<dl class="card facts">
<dt>E-mail address</dt><dd>${owner.email}</dd>
<dt>Business</dt><dd>${business.name}</dd>
<dt>Signed in until</dt><dd>${moment(expiresAt)} (${zone})</dd>
</dl>
<form class="card" method="post" action="${at(res, "/sign-out")}">
${formToken(res)}<input type="hidden" name="everywhere" value="yes">
<p>Left a browser somewhere, or lost a phone? This ends every session of yours, here too.</p>
<div class="actions"><button class="button danger">Sign out everywhere</button></div>
</form>
`;
      send(req, res, { title: "Account", body });
    });
  },
};
