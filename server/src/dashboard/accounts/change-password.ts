import type { RequestHandler } from "express";
import { z } from "zod";
import { abortSignalOf, unlessBusy } from "../errors.js";
import { readForm, withFault } from "../forms.js";
import { done, redirect } from "../page.js";
import { signedIn } from "../signed-in.js";
import { accountView } from "./account.js";
import { checkNewPassword, newPasswordShape } from "./new-password.js";
import { attemptPassword } from "./password-attempt.js";
import { type AccountDeps, beginSession } from "./session.js";

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
export function changePassword(deps: AccountDeps): RequestHandler {
  const { store, passwords, sessions, logger, send } = deps;
  return async (req, res) => {
    const { owner } = signedIn(res);
    const refuse = (status: number, message: string, field = "") =>
      send(req, res, accountView(res, withFault(req, field, message), status));
    const form = readForm(req, changeForm);
    if (!form.ok) return send(req, res, accountView(res, form.state, 422));

    const attempt = await attemptPassword(deps, req, res, owner.email);
    if (attempt.outcome === "throttled") return refuse(429, attempt.advice);
    const { current, password } = form.value;
    const from = owner.passwordHash;
    const signal = abortSignalOf(res);
    const looking = unlessBusy(passwords.matches(current, from, signal));
    const isRight = await attempt.orForgiven(looking);
    if (!isRight || from === null) return refuse(422, "This is not your password.", "current");
    await attempt.forgive();

    const to = await unlessBusy(passwords.hash(password, signal));
    if (!(await store.accounts.changePassword(owner.businessId, owner.id, { from, to }))) {
      const text =
        "Your password has been changed in another browser, so nothing was changed here.";
      return redirect(req, res, { to: "/account", said: { kind: "wrong", text } });
    }
    sessions.allEnded(owner.id);
    logger.info({ ownerId: owner.id }, "an owner changed their password");
    await beginSession(deps, req, res, { ...owner, passwordHash: to }, attempt.now);
    const text = "Your password is changed, and every other browser is signed out.";
    redirect(req, res, done(text, "/account"));
  };
}
