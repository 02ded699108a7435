import type { RequestHandler, Response } from "express";
import { z } from "zod";
import { html } from "../../lib/html.js";
import { type Invitation, inviteTo, renewLinkOf } from "../../owner/account.js";
import { OwnerError } from "../../owner/owner-error.js";
import { normalEmail } from "../../rules/email.js";
import { accountRoles, type Owner } from "../../rules/records.js";
import { orNotFound, PageNotFound, PageRefusal } from "../errors.js";
import { done } from "../flash.js";
import { type FormState, readForm, withFault } from "../forms.js";
import type { View } from "../layout.js";
import type { DashboardDeps } from "../page.js";
import { at } from "../root.js";
import { signedIn } from "../signed-in.js";
import { wallClock } from "../wall-clock.js";
import { canRenewLink, staffBody, title } from "./list.js";

type AccountRoute = RequestHandler<{ accountId: string }>;

const invitationForm = z.object({
  email: z
    .string()
    .refine(
      (text) => normalEmail(text) !== null,
      "Enter an e-mail address like anna@clinic.example.",
    ),
  role: z.enum(accountRoles, "Choose staff or owner."),
});

/** `POST /staff`. The response itself shows the link, so that the link is stored nowhere. */
export function inviteAccount({ store, random, baseUrl, send }: DashboardDeps): RequestHandler {
  return async (req, res) => {
    const { business } = signedIn(res);
    const form = readForm(req, invitationForm);
    const refuse = async (state: FormState) => {
      const accounts = await store.accounts.list(business.id);
      send(req, res, { title, body: staffBody(res, accounts, state), status: 422 });
    };
    if (!form.ok) return refuse(form.state);
    const { email, role } = form.value;
    try {
      const context = { now: await store.now(), random };
      const made = await inviteTo(store, business, email, role, context);
      send(req, res, linkView(res, made, baseUrl()));
    } catch (error) {
      if (!(error instanceof OwnerError) || error.refusal.code !== "email_taken") throw error;
      return refuse(withFault(req, "email", "This e-mail address has an account already."));
    }
  };
}

/** `POST /staff/:accountId/link`: a new link, which replaces the previous one. */
export function renewLink({ store, random, baseUrl, send }: DashboardDeps): AccountRoute {
  return async (req, res) => {
    const account = await otherAccount(store, res, req.params.accountId);
    if (!canRenewLink(account)) {
      const advice =
        "An owner who has a password changes it on their own. If it is lost, the operator of the server makes a link.";
      throw new PageRefusal(409, "No link was made", advice);
    }
    const context = { now: await store.now(), random };
    send(req, res, linkView(res, await renewLinkOf(store, account, context), baseUrl()));
  };
}

const keepOwner = "This is the only owner with a password, and a business keeps one.";

/** `POST /staff/:accountId/remove`: the person is signed out everywhere at once. */
export function removeAccount({ store, sessions, logger }: DashboardDeps): AccountRoute {
  return async (req, res) => {
    const { owner, business } = signedIn(res);
    const account = await otherAccount(store, res, req.params.accountId);
    const outcome = await store.accounts.remove(business.id, account.id, { keepOwner: true });
    if (outcome === "not_found") throw new PageNotFound();
    if (outcome === "last_owner") throw new PageRefusal(409, "Nothing was changed", keepOwner);
    sessions.allEnded(account.id);
    logger.info({ accountId: account.id, by: owner.id }, "an account was removed");
    done(req, res, `${account.email} was removed and is signed out.`, "/staff");
  };
}

/** An account of the business other than the signed-in one. */
async function otherAccount(
  store: DashboardDeps["store"],
  res: Response,
  accountId: string,
): Promise<Owner> {
  const { owner, business } = signedIn(res);
  if (owner.id === accountId) {
    const advice = "You cannot do this to your own account, so that the business keeps an owner.";
    throw new PageRefusal(409, "Nothing was changed", advice);
  }
  const accounts = await store.accounts.list(business.id);
  return orNotFound(accounts.find(({ id }) => id === accountId));
}

/** A new link, on the only page that shows it. */
function linkView(res: Response, { owner, token, expiresAt }: Invitation, baseUrl: string): View {
  const { moment, zone } = wallClock(signedIn(res).business);
  const link = `${baseUrl}/dashboard/set-password?token=${token}`;
  const body = html`<section class="card" aria-labelledby="link-title">
<h2 id="link-title">The link, shown this once</h2>
<p class="flash kindly">Give it only to <bdi>${owner.email}</bdi>: it sets the password of that account, once, until ${moment(expiresAt)} (${zone}).</p>
<div class="field">
<p class="label" id="the-link-label">The link</p>
<pre class="secret" id="the-link" tabindex="0" aria-labelledby="the-link-label" data-secret>${link}</pre>
<div class="actions"><button type="button" data-copies="the-link" hidden>Copy</button><span role="status" data-copied="the-link"></span></div>
</div>
</section>
<p><a class="button primary" href="${at(res, "/staff")}">I have copied it</a></p>
`;
  return { title: "Invitation", body, status: 201, scripts: ["secret.js"] };
}
