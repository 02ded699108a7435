import { addOwner, listOwners, removeOwner, renewPasswordLink } from "../owner/account.js";
import { normalEmail } from "../rules/email.js";
import { type AccountRole, accountRoles } from "../rules/records.js";
import { wordFor } from "./arguments.js";
import { runOwner } from "./owner-command.js";
import { invitation, invitationFields, list, one, ownerFields } from "./owner-output.js";
import type { QueueApiCommand } from "./queue-api-command.js";
import { UsageError } from "./usage-error.js";

const linkAddress = "the link uses BASE_URL, or HOST and PORT, from this environment";

const businessOption =
  "slug of the business; needed if several businesses have an account with this address";

/** `queue-api owner add | list | link | remove` */
export function addOwnerCommands(program: QueueApiCommand): void {
  const owner = program
    .command("owner")
    .description(
      "manage who may sign in to the dashboard, owners and staff: add, list, give a new link, remove",
    );
  addCommand(owner);
  listCommand(owner);
  linkCommand(owner);
  removeCommand(owner);
}

interface AddOptions {
  readonly business: string;
  readonly email: string;
  readonly role: AccountRole;
}

function addCommand(owner: QueueApiCommand): void {
  owner
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
    .manual({
      examples: ["queue-api owner add --business sunrise --email anna@clinic.example"],
      json: invitationFields,
    })
    .action(({ business, email, role }: AddOptions, command) =>
      runOwner(command, async ({ store, now, random }) =>
        invitation(await addOwner(store, business, email, { now, random }, role)),
      ),
    );
}

function listCommand(owner: QueueApiCommand): void {
  owner
    .command("list")
    .description("list the owners and staff of a business")
    .requiredOption("--business <slug>", "slug of the business")
    .manual({ examples: ["queue-api owner list --business sunrise"], json: `[${ownerFields}]` })
    .action(({ business }: { business: string }, command) =>
      runOwner(command, async ({ store }) => list(await listOwners(store, business))),
    );
}

function linkCommand(owner: QueueApiCommand): void {
  owner
    .command("link")
    .description(
      `print a new link for setting a password; the earlier one stops working; ${linkAddress}`,
    )
    .argument("<email>", "the owner's e-mail address", emailFor("EMAIL"))
    .option("--business <slug>", businessOption)
    .manual({ examples: ["queue-api owner link anna@clinic.example"], json: invitationFields })
    .action((email: string, { business }: { business?: string }, command) =>
      runOwner(command, async ({ store, now, random }) =>
        invitation(await renewPasswordLink(store, { email, business }, { now, random })),
      ),
    );
}

function removeCommand(owner: QueueApiCommand): void {
  owner
    .command("remove")
    .description("remove an account and end its sessions at once")
    .argument("<email>", "the owner's e-mail address", emailFor("EMAIL"))
    .option("--business <slug>", businessOption)
    .manual({ examples: ["queue-api owner remove anna@clinic.example"], json: ownerFields })
    .action((email: string, { business }: { business?: string }, command) =>
      runOwner(command, async ({ store }) => one(await removeOwner(store, { email, business }))),
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
