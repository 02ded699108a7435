import type { Response } from "express";
import { type Html, html } from "../../lib/html.js";
import { wallClock } from "../date-format.js";
import { type FormState, formCard, inputs, untouched } from "../forms.js";
import type { View } from "../layout.js";
import type { Visit } from "../page.js";
import { at } from "../root.js";
import { signedIn } from "../signed-in.js";
import { formToken } from "./form-token.js";
import { newPasswordFields } from "./new-password.js";

/** `GET /account`: who is signed in and until when, the form for a new password, and the end of all sessions. */
export function showAccount({ res }: Visit): View {
  return accountView(res, untouched, 200);
}

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
  const current = inputs(state).text({
    ...{ name: "current", label: "Current password" },
    ...{ type: "password", autocomplete: "current-password" },
  });
  return formCard(res, {
    ...{ action: "/account", title: "Change your password", state, submit: "Change the password" },
    fields: [
      // From the hidden address, a password manager recognizes the account of the password.
      html`<input type="email" value="${email}" autocomplete="username" hidden readonly>
`,
      current,
      newPasswordFields("New password", state),
      html`<p class="soft">Every other browser in which you are signed in is signed out.</p>
`,
    ],
  });
}
