import type { Response } from "express";
import { type Html, html } from "../../lib/html.js";
import { wallClock } from "../date-format.js";
import { type FormState, formError, textField, untouched } from "../forms.js";
import type { View } from "../layout.js";
import type { Page } from "../page.js";
import { at } from "../root.js";
import { signedIn } from "../signed-in.js";
import { formToken } from "./form-token.js";
import { newPasswordFields } from "./new-password.js";

/** Shows who is signed in and until when, changes the password, and ends all sessions. */
export const account: Page = {
  path: "/account",
  title: "Account",
  inMenu: true,
  forStaff: true,
  addRoutes: (router, { send }) => {
    router.get("/account", (req, res) => send(req, res, accountView(res, untouched, 200)));
  },
};

/** The page, with the password form in its current state. */
export function accountView(res: Response, state: FormState, status: number): View {
  const { owner, business, expiresAt } = signedIn(res);
  const { moment, zone } = wallClock(business);
  const body = html`<dl class="card facts">
<dt>E-mail address</dt><dd>${owner.email}</dd>
<dt>Business</dt><dd>${business.name}</dd>
<dt>Signed in until</dt><dd>${moment(expiresAt)} (${zone})</dd>
</dl>
${passwordForm(res, owner.email, state)}<form class="card" method="post" action="${at(res, "/sign-out")}">
${formToken(res)}<input type="hidden" name="everywhere" value="yes">
<h2>Lost a phone, or left a browser somewhere?</h2>
<p>This ends all your sessions, including this one.</p>
<div class="actions"><button class="button danger">Sign out everywhere</button></div>
</form>
`;
  return { title: "Account", body, status };
}

function passwordForm(res: Response, email: string, state: FormState): Html {
  const current = textField(
    {
      name: "current",
      label: "Current password",
      type: "password",
      autocomplete: "current-password",
    },
    state,
  );
  // From the hidden address, a password manager recognizes the account of the password.
  return html`<form class="card" method="post" action="${at(res, "/account")}">
${formToken(res)}<h2>Change your password</h2>
${formError(state)}<input type="email" value="${email}" autocomplete="username" hidden readonly>
${current}${newPasswordFields("New password", state)}<p class="soft">Every other browser in which you are signed in is signed out.</p>
<div class="actions"><button class="button primary">Change the password</button></div>
</form>
`;
}
