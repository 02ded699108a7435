import { readConfig } from "../config.js";
import { listeningUrl } from "../listening-url.js";
import {
  addOwner,
  type Invitation,
  listOwners,
  removeOwner,
  renewPasswordLink,
} from "../owner/account.js";
import { normalEmail } from "../rules/email.js";
import type { Owner } from "../rules/records.js";
import { minuteOf, type Output, table, tableOr, timestamp } from "./output.js";
import { runOwner } from "./owner-command.js";
import type { QueueApiCommand } from "./queue-api-command.js";
import { UsageError } from "./usage-error.js";

interface AddOptions {
  readonly business: string;
  readonly email: string;
}

const shape = "{ id, email, hasPassword, createdAt }";
const linkShape = "{ id, email, link, expiresAt }";

/** `queue-api owner add | list | link | remove` */
export function addOwnerCommands(program: QueueApiCommand): void {
  const owner = program
    .command("owner")
    .description("who may sign in to the dashboard: add, list, give a new link, remove");

  owner
    .command("add")
    .description("add an owner; prints a link by which to set a password, once")
    .requiredOption("--business <slug>", "slug of the business")
    .requiredOption("--email <address>", "what the owner signs in with", emailFor("--email"))
    .manual({
      examples: ["queue-api owner add --business sunrise --email anna@clinic.example"],
      json: linkShape,
    })
    .action(({ business, email }: AddOptions, command) =>
      runOwner(command, async ({ store, now, random }) =>
        invitation(await addOwner(store, business, email, { now, random })),
      ),
    );

  owner
    .command("list")
    .description("list the owners of a business")
    .requiredOption("--business <slug>", "slug of the business")
    .manual({ examples: ["queue-api owner list --business sunrise"], json: `[${shape}]` })
    .action(({ business }: Pick<AddOptions, "business">, command) =>
      runOwner(command, async ({ store }) => list(await listOwners(store, business))),
    );

  owner
    .command("link")
    .description("print a new link by which to set a password; the one before works no more")
    .argument("<email>", "the owner's e-mail address", emailFor("EMAIL"))
    .manual({ examples: ["queue-api owner link anna@clinic.example"], json: linkShape })
    .action((email: string, _options, command) =>
      runOwner(command, async ({ store, now, random }) =>
        invitation(await renewPasswordLink(store, email, { now, random })),
      ),
    );

  owner
    .command("remove")
    .description("remove an owner, who is signed out everywhere at once")
    .argument("<email>", "the owner's e-mail address", emailFor("EMAIL"))
    .manual({ examples: ["queue-api owner remove anna@clinic.example"], json: shape })
    .action((email: string, _options, command) =>
      runOwner(command, async ({ store }) => one(await removeOwner(store, email))),
    );
}

/** Reads an e-mail address. The complaint names where it stands, not the value. */
function emailFor(place: string) {
  return (text: string): string => {
    const email = normalEmail(text);
    if (email !== null) return email;
    throw new UsageError(`${place} must be an e-mail address like anna@clinic.example`);
  };
}

function invitation({ owner: { id, email }, token, expiresAt }: Invitation): Output {
  const config = readConfig(process.env);
  const baseUrl = config.baseUrl ?? listeningUrl(config, config.port);
  const link = `${baseUrl}/dashboard/set-password?token=${token}`;
  return {
    json: { id, email, link, expiresAt: timestamp(expiresAt) },
    text: [
      link,
      "",
      `This is the only time the link is shown. Until ${minuteOf(expiresAt)} it sets the password of`,
      `${email}, once. Give it to nobody else.`,
    ].join("\n"),
  };
}

function view({ id, email, passwordHash, createdAt }: Owner) {
  return { id, email, hasPassword: passwordHash !== null, createdAt: timestamp(createdAt) };
}

const headings = ["E-MAIL", "PASSWORD", "ADDED", "OWNER"];

function row({ id, email, passwordHash, createdAt }: Owner) {
  return [email, passwordHash === null ? "not set yet" : "set", minuteOf(createdAt), id];
}

function list(owners: readonly Owner[]): Output {
  const text = tableOr("No owners.", headings, owners.map(row));
  return { json: owners.map(view), text };
}

function one(owner: Owner): Output {
  return { json: view(owner), text: table(headings, [row(owner)]) };
}
