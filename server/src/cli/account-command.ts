import { readConfig } from "../config.js";
import { listeningUrl } from "../lib/http-server.js";
import { addAccount, type Invitation, removeAccount, renewPasswordLink } from "../owner/account.js";
import { findBusiness } from "../owner/business.js";
import { normalEmail } from "../rules/email.js";
import { type Account, type AccountRole, accountRoles } from "../rules/records.js";
import { timestamp } from "../rules/timestamp.js";
import { wordFor } from "./arguments.js";
import type { QueueApiCommand } from "./command.js";
import { UsageError } from "./command-errors.js";
import { asMinute, type Output, printer } from "./output.js";

/** The fields of an invitation, as the help lists them. */
const invitationFields = "{ id, email, link, expiresAt }";

const linkAddress = "the link uses BASE_URL, or HOST and PORT, from this environment";

const businessOption =
  "slug of the business; needed if several businesses have an account with this address";

interface AccountOptions {
  readonly business?: string;
}

interface AddOptions {
  readonly business: string;
  readonly email: string;
  readonly role: AccountRole;
}

/** `queue-api account add | list | link | remove` */
export function addAccountCommands(program: QueueApiCommand): void {
  const account = program
    .command("account")
    .description(
      "manage who may sign in to the dashboard, owners and staff: add, list, give a new link, remove",
    );

  account
    .command("add")
    .description(`add an account and print a link that sets its password once; ${linkAddress}`)
    .requiredOption("--business <slug>", "slug of the business")
    .requiredOption("--email <address>", "e-mail address for signing in", emailFor("--email"))
    .option(
      "--role <role>",
      "owner, or staff: they serve people, and do not see keys, accounts or settings",
      wordFor("--role", accountRoles),
      "owner",
    )
    .examples("queue-api account add --business sunrise --email anna@clinic.example")
    .printsJson(invitationFields)
    .does(async ({ store, now, random }, { business, email, role }: AddOptions) => {
      const address = addressOfLinks(); // before anything changes, because it can throw
      const added = await addAccount(store, business, email, { now, random }, role);
      return invitation(added, address, business);
    });

  account
    .command("list")
    .description("list the owners and staff of a business")
    .requiredOption("--business <slug>", "slug of the business")
    .examples("queue-api account list --business sunrise")
    .lists(accounts, async ({ store }, { business }: { readonly business: string }) =>
      store.accounts.list((await findBusiness(store, business)).id),
    );

  account
    .command("link")
    .description(
      `print a new link for setting a password; the earlier one stops working; ${linkAddress}`,
    )
    .argument("<email>", "e-mail address of the account", emailFor("EMAIL"))
    .option("--business <slug>", businessOption)
    .examples("queue-api account link anna@clinic.example")
    .printsJson(invitationFields)
    .does(async ({ store, now, random }, email: string, { business }: AccountOptions) => {
      const address = addressOfLinks();
      const renewed = await renewPasswordLink(store, { email, business }, { now, random });
      return invitation(renewed, address, business);
    });

  account
    .command("remove")
    .description("remove an account and end its sessions at once")
    .argument("<email>", "e-mail address of the account", emailFor("EMAIL"))
    .option("--business <slug>", businessOption)
    .examples("queue-api account remove anna@clinic.example")
    .shows(accounts, ({ store }, email: string, { business }: AccountOptions) =>
      removeAccount(store, { email, business }),
    );
}

/** Parses an e-mail address. The error names the argument, not the value. */
function emailFor(name: string) {
  return (text: string): string => {
    const email = normalEmail(text);
    if (email !== null) return email;
    throw new UsageError(`${name} must be an e-mail address like anna@clinic.example`);
  };
}

/** The address in links: that of the settings of this command. Throws if a setting is wrong. */
function addressOfLinks() {
  const config = readConfig(process.env);
  const baseUrl = config.baseUrl ?? listeningUrl(config, config.port);
  return { baseUrl, isGuessed: config.baseUrl === null && !Number(process.env.PORT) };
}

/** A new link, complete. */
function invitation(
  { account: { id, email }, token, expiresAt }: Invitation,
  { baseUrl, isGuessed }: ReturnType<typeof addressOfLinks>,
  business: string | undefined,
): Output {
  const link = `${baseUrl}/dashboard/set-password?token=${token}`;
  const guess = `

The link uses BASE_URL, or HOST and PORT. Neither BASE_URL nor a PORT is set here. If the service
has another address, set BASE_URL and run: queue-api account link ${email}${business ? ` --business ${business}` : ""}`;
  return {
    json: { id, email, link, expiresAt: timestamp(expiresAt) },
    text: `${link}

This is the only time the link is shown. Until ${asMinute(expiresAt)} it sets the password of
${email}, once. Give it to no other person.${isGuessed ? guess : ""}`,
  };
}

const accounts = printer<Account>({
  shape: "{ id, email, role, hasPassword, createdAt }",
  json: ({ id, email, role, passwordHash, createdAt }) => {
    return { id, email, role, hasPassword: passwordHash !== null, createdAt: timestamp(createdAt) };
  },
  columns: {
    "E-MAIL": ({ email }) => email,
    ROLE: ({ role }) => role,
    PASSWORD: ({ passwordHash }) => (passwordHash === null ? "not set yet" : "set"),
    ADDED: ({ createdAt }) => asMinute(createdAt),
    ID: ({ id }) => id,
  },
  none: "No accounts.",
});
