import type { RequestHandler, Response } from "express";
import { z } from "zod";
import { type Html, html } from "../../lib/html.js";
import { passwordIssue, passwordLength } from "../../owner/password.js";
import { hashSecret } from "../../rules/key.js";
import type { Account } from "../../rules/records.js";
import { type FormState, inputs, readForm, untouchedForm } from "../forms.js";
import { abortSignalOf, unlessBusy } from "../page-error.js";
import { dashboardPath } from "../request.js";
import { type DashboardDeps, done, redirect } from "../visit.js";
import { beginSession } from "./session.js";

/** The fields of a new password. It is typed twice because password fields hide the text. */
export const newPasswordShape = {
  password: z.string("Fill this in."),
  again: z.string("Fill this in."),
} as const;

/** Refines a form that has {@link newPasswordShape}: the password is acceptable, and both fields match. */
export function checkNewPassword(
  { password, again }: { readonly password: string; readonly again: string },
  context: z.RefinementCtx,
): void {
  const error = passwordIssue(password);
  if (error !== null) context.addIssue({ code: "custom", path: ["password"], message: error });
  else if (again !== password) {
    const message = "This is not the same as above. Type the password twice.";
    context.addIssue({ code: "custom", path: ["again"], message });
  }
}

/** The fields as HTML. `label`: the label of the password field. */
export function newPasswordFields(label: string, state: FormState): Html {
  const { min } = passwordLength;
  const hint = `At least ${min} characters. A few words that are hard to guess work well.`;
  const field = { type: "password", autocomplete: "new-password" } as const;
  const { text } = inputs(state);
  const again = text({ ...field, name: "again", label: `${label} again` });
  return html`${text({ ...field, name: "password", label, hint })}${again}`;
}

const passwordForm = z.object(newPasswordShape).superRefine(checkNewPassword);

/**
 * `GET /set-password?token=`. Does not use up the link, since mail programs open links too. A refused form leaves the
 * browser at the path without the token.
 */
export function showSetPassword({ store, send }: DashboardDeps): RequestHandler {
  return async (req, res) => {
    if (req.query.token === undefined) return send(res, withoutLink);
    const token = textOf(req.query.token);
    const account = await store.accounts.byPasswordLink(hashSecret(token));
    await send(res, account ? view(res, account, token, untouchedForm, 200) : usedUp);
  };
}

/** `POST /set-password`. Also signs the account in. */
export function setPassword(deps: DashboardDeps): RequestHandler {
  const { store, passwords, logger, send } = deps;
  return async (req, res) => {
    const token = textOf(req.body?.token);
    const linkTokenHash = hashSecret(token);
    const invited = await store.accounts.byPasswordLink(linkTokenHash);
    if (!invited) return send(res, usedUp);
    const form = readForm(req, passwordForm);
    if (!form.ok) return send(res, view(res, invited, token, form.state, 422));

    const passwordHash = await unlessBusy(passwords.hash(form.value.password, abortSignalOf(res)));
    const { businessId, id } = invited;
    const proof = { linkTokenHash };
    const account = await store.accounts.setPassword(businessId, id, passwordHash, proof);
    if (!account) return send(res, usedUp);
    logger.info({ accountId: account.id }, "a password was set");
    const began = await beginSession(deps, res, account, store.now());
    const signedIn = began ? ", and you are signed in" : "";
    redirect(res, done(`Your password is set${signedIn}.`, ""));
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const withoutLink = {
  title: "Open the link again",
  status: 400,
  body: html`<div class="card alone">
<p>This address is without the link that sets your password. Open the link that you were given again: it works until the password is set, within 24 hours.</p>
</div>
`,
};

const usedUp = {
  title: "This link no longer works",
  status: 410,
  body: html`<div class="card alone">
<p>A link sets a password once, within 24 hours, and only the newest one works.</p>
<p>An owner of the business can give you a new one under <em>Staff</em>, or the operator of the server with: <code>queue-api account link EMAIL</code></p>
</div>
`,
};

function view(res: Response, account: Account, token: string, state: FormState, status: number) {
  const email = { name: "email", label: "E-mail address", value: account.email };
  const known = { type: "email", autocomplete: "username", attributes: html`readonly` } as const;
  const body = html`<form class="card alone" method="post" action="${dashboardPath(res, "/set-password")}">
<input type="hidden" name="token" value="${token}">
${inputs(untouchedForm).text({ ...email, ...known })}${newPasswordFields("Password", state)}<div class="actions"><button class="button primary">Set the password</button></div>
</form>
`;
  return { title: "Set your password", body, status };
}
