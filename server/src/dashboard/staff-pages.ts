import { z } from "zod";
import { type Html, html } from "../lib/html.js";
import { maxAccounts } from "../operations/accounts.js";
import { type Invitation, inviteTo, renewLinkOf } from "../owner/account.js";
import { OwnerError } from "../owner/owner-error.js";
import { normalEmail } from "../rules/email.js";
import { type Account, type AccountRole, accountRoles } from "../rules/records.js";
import { formToken } from "./accounts/form-token.js";
import { wallClock } from "./date-format.js";
import { type FormState, formCard, inputs, inRow, untouchedForm } from "./forms.js";
import { copyable, type View } from "./layout.js";
import { orNotFound, PageError, PageNotFound } from "./page-error.js";
import { dashboardPath } from "./request.js";
import type { FormError, Resource } from "./resource.js";
import { stackTable } from "./tables.js";
import { done, type HandlerResult, type Redirect, type Visit } from "./visit.js";

const title = "Staff";

const invitation = z.object({
  email: z
    .string()
    .refine(
      (text) => normalEmail(text) !== null,
      "Enter an e-mail address like anna@clinic.example.",
    ),
  role: z.enum(accountRoles, "Choose staff or owner."),
});

/** Who may sign in: owners and staff. */
export const staff: Resource<Account, z.output<typeof invitation>> = {
  path: "/staff",
  list: (visit) => overview(visit, untouchedForm),
  find: otherAccount,
  view: overview,
  add: {
    schema: invitation,
    /** The response itself shows the link, so that the link is stored nowhere. */
    async act(visit, { email, role }, { now, random }) {
      const { store, business } = visit;
      try {
        return linkView(visit, await inviteTo(store, business, email, role, { now, random }));
      } catch (error) {
        return refusedInvitation(error);
      }
    },
  },
  removal: {
    verb: "remove",
    question: ({ email }) => ({
      title: "Remove this account?",
      text: html`<strong><bdi>${email}</bdi></strong> is signed out everywhere at once, and cannot sign in again.`,
    }),
    async act({ store, business, account, logger }, { id, email }) {
      const outcome = await store.accounts.remove(business.id, id, { keepOwner: true });
      if (outcome === "not_found") throw new PageNotFound();
      if (outcome === "last_owner") throw lastOwner();
      logger.info({ accountId: id, by: account.id }, "an account was removed");
      return done(`${email} was removed and is signed out.`, "/staff");
    },
  },
};

function refusedInvitation(error: unknown): FormError {
  switch (error instanceof OwnerError && error.refusal.code) {
    case "email_taken":
      return {
        field: "email",
        message: "This e-mail address has an account already. Its role can be changed in the list.",
      };
    case "too_many_accounts":
      return {
        field: "",
        message: `The business has ${maxAccounts} accounts, which is the maximum. Remove one that is not used.`,
      };
    default:
      throw error;
  }
}

/** The accounts, and the form for a new one in its current state. */
async function overview(visit: Visit, state: FormState): Promise<View> {
  const { res, store, account: self, business } = visit;
  const { moment } = wallClock(business);
  const accounts = await store.accounts.list(business.id);
  const rows = accounts.map((account) => ({
    cells: {
      "E-mail address": html`<bdi>${account.email}</bdi>`,
      Role: account.role === "owner" ? "Owner" : "Staff",
      Password: account.passwordHash === null ? "Not set yet" : "Set",
      Added: moment(account.createdAt),
    },
    acts: account.id === self.id ? html`<span class="soft">You</span>` : acts(visit, account),
  }));
  const caption = "Accounts of this business";
  const { text, select } = inputs(state);
  const roles = [
    { value: "staff", label: "Staff" },
    { value: "owner", label: "Owner" },
  ];
  const hint = "Staff serve people. Owners see keys, accounts and settings too.";
  const form = formCard(res, {
    action: "/staff",
    title: "Invite a person",
    state,
    submit: "Make the link",
    fields: [
      inRow(
        text({ name: "email", label: "E-mail address", type: "email" }),
        select({ name: "role", label: "Role", hint, options: roles }),
      ),
      html`<p class="soft">You get a link with which the person sets a password. The service sends no message.</p>
`,
    ],
  });
  const body = html`<section class="card">${stackTable({ caption, rows })}</section>
${form}`;
  return { title, body };
}

/** Whether an owner may make a link for an account. For an owner with a password, only the operator can. */
function canRenewLink({ role, passwordHash }: Account): boolean {
  return role === "staff" || passwordHash === null;
}

function acts({ res }: Visit, account: Account): Html {
  const { id, email, role, link } = account;
  const who = html`<span class="visually-hidden">: ${email}</span>`;
  const other = role === "owner" ? "staff" : "owner";
  return html`<div class="actions">${
    canRenewLink(account) &&
    html`<form method="post" action="${dashboardPath(res, `/staff/${id}/link`)}">${formToken(res)}<button class="quiet" name="replaces" value="${link?.tokenHash ?? ""}">New link${who}</button></form>`
  }<form method="post" action="${dashboardPath(res, `/staff/${id}/${other}`)}">${formToken(res)}<button class="quiet">Make ${other}${who}</button></form><a class="button danger" href="${dashboardPath(res, `/staff/${id}/remove`)}">Remove…${who}</a></div>`;
}

/**
 * `POST /staff/:id/link`: a new link. It replaces the link that the form names, so a form that is sent again, by
 * reloading the page, makes no other one.
 */
export async function renewLink(visit: Visit): Promise<HandlerResult> {
  const { req, store, random } = visit;
  const account = await otherAccount(visit);
  if (!canRenewLink(account)) {
    const advice =
      "An owner who has a password changes it on their own. If it is lost, the operator of the server makes a link.";
    throw new PageError(409, "No link was made", advice);
  }
  const replaces = req.body?.replaces || null;
  try {
    const context = { now: store.now(), random };
    return linkView(visit, await renewLinkOf(store, account, context, replaces));
  } catch (error) {
    const code = error instanceof OwnerError && error.refusal.code;
    if (code === "account_not_found") throw new PageNotFound();
    if (code !== "link_changed") throw error;
    const text =
      "The link of this account has changed since that page was opened, so no other was made. Select New link again if you need one.";
    return { to: "/staff", flash: { kind: "warning", text } };
  }
}

/**
 * `POST /staff/:id/owner` and `/staff`: the person has the other pages from their next request on. The path names the
 * role, for the audit log.
 */
export const changeRole =
  (role: AccountRole) =>
  async (visit: Visit): Promise<Redirect> => {
    const { store, business, account, logger } = visit;
    const { id, email } = await otherAccount(visit);
    const outcome = await store.accounts.changeRole(business.id, id, role);
    if (outcome === "not_found") throw new PageNotFound();
    if (outcome === "last_owner") throw lastOwner();
    logger.info({ accountId: id, role, by: account.id }, "the role of an account was changed");
    return done(`${email} is ${role === "owner" ? "an owner" : "staff"} now.`, "/staff");
  };

function lastOwner(): PageError {
  const advice = "This is the only owner with a password, and a business must keep one.";
  return new PageError(409, "Nothing was changed", advice);
}

/** An account of the business other than the signed-in one. */
async function otherAccount({ store, account, business, id }: Visit): Promise<Account> {
  if (account.id === id) {
    const advice = "You cannot do this to your own account, so that the business keeps an owner.";
    throw new PageError(409, "Nothing was changed", advice);
  }
  return orNotFound((await store.accounts.list(business.id)).find((one) => one.id === id));
}

/** A new link, on the only page that shows it. */
function linkView(visit: Visit, { account, token, expiresAt }: Invitation): View {
  const { moment, zone } = wallClock(visit.business);
  const link = `${visit.baseUrl()}/dashboard/set-password?token=${token}`;
  const body = html`<section class="card" aria-labelledby="link-title">
<h2 id="link-title">The link, shown only once</h2>
<p class="flash warning">Give it only to <bdi>${account.email}</bdi>: it sets the password of that account, once, until ${moment(expiresAt)} (${zone}).</p>
${copyable("the-link", "The link", link)}</section>
<p><a class="button primary" href="${dashboardPath(visit.res, "/staff")}">I have copied it</a></p>
`;
  return { title: "Invitation", body, status: 201 };
}
