import type { RequestHandler, Response } from "express";
import { type Html, html } from "../../lib/html.js";
import type { Owner } from "../../rules/records.js";
import { formToken } from "../accounts/form-token.js";
import { type FormState, formError, selectField, textField, untouched } from "../forms.js";
import type { DashboardDeps } from "../page.js";
import { at } from "../root.js";
import { signedIn } from "../signed-in.js";
import { wallClock } from "../wall-clock.js";

export const title = "Staff";

/** `GET /staff` */
export function showStaff({ store, send }: DashboardDeps): RequestHandler {
  return async (req, res) => {
    const accounts = await store.accounts.list(signedIn(res).business.id);
    send(req, res, { title, body: staffBody(res, accounts, untouched) });
  };
}

/** The accounts, and the form for a new one in its current state. */
export function staffBody(res: Response, accounts: readonly Owner[], state: FormState): Html {
  const { owner, business } = signedIn(res);
  const { moment } = wallClock(business);
  const rows = accounts.map(
    (account) => html`<tr>
<th scope="row"><bdi>${account.email}</bdi></th>
<td data-label="Role">${account.role === "owner" ? "Owner" : "Staff"}</td>
<td data-label="Password">${account.passwordHash === null ? "Not set yet" : "Set"}</td>
<td data-label="Added">${moment(account.createdAt)}</td>
<td class="acts">${account.id === owner.id ? html`<span class="soft">You</span>` : acts(res, account)}</td>
</tr>
`,
  );
  return html`<section class="card"><table class="stacks">
<caption class="visually-hidden">Accounts of this business</caption>
<thead><tr><th scope="col">E-mail address</th><th scope="col">Role</th><th scope="col">Password</th><th scope="col">Added</th><th scope="col"><span class="visually-hidden">What can be done</span></th></tr></thead>
<tbody>
${rows}</tbody>
</table></section>
${inviteForm(res, state)}`;
}

/** Whether an owner may make a link for an account. For an owner with a password, only the operator can. */
export function canRenewLink({ role, passwordHash }: Owner): boolean {
  return role === "staff" || passwordHash === null;
}

function acts(res: Response, account: Owner): Html {
  const { id, email } = account;
  const button = (act: string, label: string, kind: string) =>
    html`<form method="post" action="${at(res, `/staff/${id}/${act}`)}">${formToken(res)}<button class="${kind}">${label}<span class="visually-hidden">: ${email}</span></button></form>`;
  return html`<div class="actions">${
    canRenewLink(account) && button("link", "New link", "quiet")
  }${button("remove", "Remove", "danger")}</div>`;
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
