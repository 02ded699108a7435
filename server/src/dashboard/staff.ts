import type { RequestHandler, Response } from "express";
import { z } from "zod";
import { type Html, html } from "../lib/html.js";
import { type Invitation, inviteTo, renewLinkOf } from "../owner/account.js";
import { OwnerError } from "../owner/owner-error.js";
import { normalEmail } from "../rules/email.js";
import { accountRoles, type Owner } from "../rules/records.js";
import { formToken } from "./accounts/form-token.js";
import { ask } from "./ask.js";
import { wallClock } from "./date-format.js";
import { orNotFound, PageNotFound, PageRefusal } from "./errors.js";
import { done } from "./flash.js";
import {
  type FormState,
  formError,
  readForm,
  selectField,
  textField,
  untouched,
  withFault,
} from "./forms.js";
import type { View } from "./layout.js";
import type { DashboardDeps, Page } from "./page.js";
import { at } from "./root.js";
import { copyable } from "./secret.js";
import { signedIn } from "./signed-in.js";
import { stackTable } from "./tables.js";

/** Who may sign in: owners and staff. */
export const staff: Page = {
  path: "/staff",
  title: "Staff",
  inMenu: true,
  addRoutes: (router, deps) => {
    router.get("/staff", showStaff(deps));
    router.post("/staff", inviteAccount(deps));
    router.post("/staff/:accountId/link", renewLink(deps));
    router.get("/staff/:accountId/remove", askToRemove(deps));
    router.post("/staff/:accountId/remove", removeAccount(deps));
  },
};

const title = "Staff";

/** `GET /staff` */
function showStaff({ store, send }: DashboardDeps): RequestHandler {
  return async (req, res) => {
    const accounts = await store.accounts.list(signedIn(res).business.id);
    send(req, res, { title, body: staffBody(res, accounts, untouched) });
  };
}

/** The accounts, and the form for a new one in its current state. */
function staffBody(res: Response, accounts: readonly Owner[], state: FormState): Html {
  const { owner, business } = signedIn(res);
  const { moment } = wallClock(business);
  const rows = accounts.map((account) => [
    html`<bdi>${account.email}</bdi>`,
    account.role === "owner" ? "Owner" : "Staff",
    account.passwordHash === null ? "Not set yet" : "Set",
    moment(account.createdAt),
    account.id === owner.id ? html`<span class="soft">You</span>` : acts(res, account),
  ]);
  const columns = ["E-mail address", "Role", "Password", "Added"];
  return html`<section class="card">${stackTable({ caption: "Accounts of this business", columns, rows, hasActs: true })}</section>
${inviteForm(res, state)}`;
}

/** Whether an owner may make a link for an account. For an owner with a password, only the operator can. */
function canRenewLink({ role, passwordHash }: Owner): boolean {
  return role === "staff" || passwordHash === null;
}

function acts(res: Response, account: Owner): Html {
  const { id, email } = account;
  const who = html`<span class="visually-hidden">: ${email}</span>`;
  return html`<div class="actions">${
    canRenewLink(account) &&
    html`<form method="post" action="${at(res, `/staff/${id}/link`)}">${formToken(res)}<button class="quiet">New link${who}</button></form>`
  }<a class="button danger" href="${at(res, `/staff/${id}/remove`)}">Remove…${who}</a></div>`;
}

function inviteForm(res: Response, state: FormState): Html {
  return html`<form class="card" method="post" action="${at(res, "/staff")}">
${formToken(res)}<h2>Invite a person</h2>
${formError(state)}<div class="fields">
${textField({ name: "email", label: "E-mail address", type: "email" }, state)}${selectField(
  {
    name: "role",
    label: "Role",
    hint: "Staff serve people. Owners see keys, accounts and settings too.",
    options: [
      { value: "staff", label: "Staff" },
      { value: "owner", label: "Owner" },
    ],
    value: "staff",
  },
  state,
)}</div>
<p class="soft">You get a link with which the person sets a password. The service sends no message.</p>
<div class="actions"><button class="primary">Make the link</button></div>
</form>
`;
}

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
function inviteAccount({ store, random, baseUrl, send }: DashboardDeps): RequestHandler {
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
function renewLink({ store, random, baseUrl, send }: DashboardDeps): AccountRoute {
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

/** `GET /staff/:accountId/remove`: asks for confirmation. */
function askToRemove({ store, send }: DashboardDeps): AccountRoute {
  return async (req, res) => {
    const { id, email } = await otherAccount(store, res, req.params.accountId);
    const question = {
      title: "Remove this account?",
      text: html`<strong><bdi>${email}</bdi></strong> is signed out everywhere at once, and cannot sign in again.`,
      ...{ action: `/staff/${id}/remove`, yes: "Remove it", no: "Keep it", back: "/staff" },
    };
    send(req, res, ask(res, question));
  };
}

const keepOwner = "This is the only owner with a password, and a business keeps one.";

/** `POST /staff/:accountId/remove`: the person is signed out everywhere at once. */
function removeAccount({ store, sessions, logger }: DashboardDeps): AccountRoute {
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
${copyable("the-link", "The link", link)}</section>
<p><a class="button primary" href="${at(res, "/staff")}">I have copied it</a></p>
`;
  return { title: "Invitation", body, status: 201 };
}
