import type { RequestHandler, Response } from "express";
import { z } from "zod";
import { html } from "../../lib/html.js";
import { normalEmail } from "../../rules/email.js";
import { hashSecret } from "../../rules/key.js";
import type { Account } from "../../rules/records.js";
import { type FormState, formError, inputs, readForm, untouchedForm, withError } from "../forms.js";
import { abortSignalOf, unlessBusy } from "../page-error.js";
import { dashboardPath } from "../request.js";
import type { DashboardDeps } from "../visit.js";
import { attemptPassword } from "./password-attempt.js";
import { returnPath, sessionToken } from "./require-account.js";
import { beginSession } from "./session.js";

const signInForm = z.object({
  email: z.string("Fill this in.").trim().min(1, "Enter your e-mail address."),
  password: z.string("Fill this in.").min(1, "Enter your password."),
});

/** The same text for an unknown address, an account without a password and a wrong password. */
const wrong = "The e-mail address or the password is wrong.";

/** `GET /sign-in` */
export function showSignIn({ store, send }: DashboardDeps): RequestHandler {
  return async (req, res) => {
    const next = returnPath(dashboardPath(res, ""), req.query.next);
    const token = sessionToken(res);
    const signedIn = token !== null && (await store.sessions.get(hashSecret(token))) !== null;
    if (signedIn) return res.redirect(303, next);
    await send(res, view(res, next, untouchedForm, 200));
  };
}

/** `POST /sign-in` */
export function signIn(deps: DashboardDeps): RequestHandler {
  const { logger, send } = deps;
  return async (req, res) => {
    const next = returnPath(dashboardPath(res, ""), req.body?.next);
    const refuse = (status: number, message: string, field = "") =>
      send(res, view(res, next, withError(req, field, message), status));
    const form = readForm(req, signInForm);
    if (!form.ok) return send(res, view(res, next, form.state, 422));

    const { password } = form.value;
    const email = normalEmail(form.value.email) ?? form.value.email;
    const attempt = await attemptPassword(deps, res, email, async (now) => {
      const account = await unlessBusy(verified(deps, email, password, abortSignalOf(res)));
      return account && (await beginSession(deps, res, account, now)) ? account : null;
    });
    if ("advice" in attempt) return refuse(429, attempt.advice);
    if (attempt.result === null) return refuse(422, wrong);
    logger.info({ accountId: attempt.result.id }, "an account signed in");
    res.redirect(303, next);
  };
}

/** An address may have an account in several businesses; more than these are not tried. */
const maxMatchingAccounts = 10;

/**
 * The account with this e-mail address and password; of several, the one that was added first. A miss takes as
 * long as a match of the only account.
 */
async function verified(
  { store, passwords }: DashboardDeps,
  email: string,
  password: string,
  signal: AbortSignal,
): Promise<Account | null> {
  const accounts = (await store.accounts.byEmail(email)).filter(
    (account) => account.passwordHash !== null,
  );
  for (const account of accounts.slice(0, maxMatchingAccounts)) {
    if (await passwords.matches(password, account.passwordHash, signal)) return account;
  }
  if (accounts.length === 0) await passwords.matches(password, null, signal);
  return null;
}

function view(res: Response, next: string, state: FormState, status: number) {
  const { text } = inputs(state);
  const email = text({
    name: "email",
    label: "E-mail address",
    type: "email",
    autocomplete: "username",
  });
  const password = text({
    name: "password",
    label: "Password",
    type: "password",
    autocomplete: "current-password",
  });
  const body = html`<form class="card alone" method="post" action="${dashboardPath(res, "/sign-in")}">
${formError(state)}<input type="hidden" name="next" value="${next}">
${email}${password}<p class="soft">Forgot the password? An owner of the business can give staff a link to set a new one, and the operator of this server can give one to anybody.</p>
<div class="actions"><button class="button primary">Sign in</button></div>
</form>
`;
  return { title: "Sign in", body, status };
}
