import { z } from "zod";
import { html } from "../../lib/html.js";
import { wallClock } from "../date-format.js";
import { type FormState, formCard, inputs, untouchedForm, withError } from "../forms.js";
import type { View } from "../layout.js";
import { abortSignalOf, unlessBusy } from "../page-error.js";
import { dashboardPath } from "../request.js";
import { submitted } from "../resource.js";
import { done, type HandlerResult, type Visit } from "../visit.js";
import { formToken } from "./form-token.js";
import { attemptPassword } from "./password-attempt.js";
import { beginSession } from "./session.js";
import { checkNewPassword, newPasswordFields, newPasswordShape } from "./set-password.js";

const changeForm = z
  .object({
    current: z.string("Fill this in.").min(1, "Enter your current password."),
    ...newPasswordShape,
  })
  .superRefine(checkNewPassword);

/**
 * `POST /account`: changes the password of the signed-in account, which must enter its current one. All
 * sessions of the account end; this browser continues in a new session.
 */
export function changePassword(visit: Visit): Promise<HandlerResult> {
  const { req, res, store, passwords, logger, account } = visit;
  const show = (state: FormState) => showAccount(visit, state);
  return submitted(visit, { schema: changeForm }, show, async ({ current, password }) => {
    const signal = abortSignalOf(res);
    const attempt = await attemptPassword(visit, res, account.email, async () => {
      const isRight = await unlessBusy(passwords.matches(current, account.passwordHash, signal));
      return isRight ? account.passwordHash : null;
    });
    if ("advice" in attempt) return { ...show(withError(req, "", attempt.advice)), status: 429 };
    const from = attempt.result;
    if (from === null) return { field: "current", message: "This is not your password." };

    const to = await unlessBusy(passwords.hash(password, signal));
    const { businessId, id } = account;
    const changed = await store.accounts.setPassword(businessId, id, to, { passwordHash: from });
    if (!changed) {
      const text =
        "Your password has been changed in another browser, so nothing was changed here.";
      return { to: "/account", flash: { kind: "failed", text } };
    }
    logger.info({ accountId: account.id }, "a password was changed");
    await beginSession(visit, res, changed, store.now());
    return done("Your password is changed, and every other browser is signed out.", "/account");
  });
}

/** `GET /account`: who is signed in and until when, the form for a new password, and the end of all sessions. */
export function showAccount(visit: Visit, state: FormState = untouchedForm): View {
  const { res, account, business, expiresAt } = visit;
  const { moment, zone } = wallClock(business);
  const current = inputs(state).text({
    name: "current",
    label: "Current password",
    type: "password",
    autocomplete: "current-password",
  });
  const passwordForm = formCard(res, {
    action: "/account",
    title: "Change your password",
    state,
    submit: "Change the password",
    fields: [
      // From the hidden address, a password manager recognizes the account of the password.
      html`<input type="email" value="${account.email}" autocomplete="username" hidden readonly>
`,
      current,
      newPasswordFields("New password", state),
      html`<p class="soft">Every other browser in which you are signed in is signed out.</p>
`,
    ],
  });
  const body = html`<dl class="card facts">
<dt>E-mail address</dt><dd>${account.email}</dd>
<dt>Business</dt><dd>${business.name}</dd>
<dt>Signed in until</dt><dd>${moment(expiresAt)} (${zone})</dd>
</dl>
${passwordForm}<form class="card" method="post" action="${dashboardPath(res, "/sign-out")}">
${formToken(res)}<input type="hidden" name="everywhere" value="yes">
<h2>Lost a phone, or left a browser somewhere?</h2>
<p>This ends all your sessions, including this one.</p>
<div class="actions"><button class="button danger">Sign out everywhere</button></div>
</form>
`;
  return { title: "Account", body };
}
