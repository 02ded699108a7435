import { readConfig } from "../config.js";
import { listeningUrl } from "../lib/http-server.js";
import type { Invitation } from "../owner/account.js";
import type { Owner } from "../rules/records.js";
import { minuteOf, type Output, table, tableOr, timestamp } from "./output.js";

/** The fields of an owner, and of an invitation, as the manual lists them. */
export const ownerFields = "{ id, email, role, hasPassword, createdAt }";
export const invitationFields = "{ id, email, link, expiresAt }";

/** A new link, complete. The settings of this command give the address of the service. */
export function invitation({ owner: { id, email }, token, expiresAt }: Invitation): Output {
  const config = readConfig(process.env);
  const baseUrl = config.baseUrl ?? listeningUrl(config, config.port);
  const isGuessed = !process.env.BASE_URL && !process.env.PORT;
  const link = `${baseUrl}/dashboard/set-password?token=${token}`;
  return {
    json: { id, email, link, expiresAt: timestamp(expiresAt) },
    text: [
      link,
      "",
      `This is the only time the link is shown. Until ${minuteOf(expiresAt)} it sets the password of`,
      `${email}, once. Give it to no other person.`,
      ...(isGuessed
        ? [
            "",
            "The link uses BASE_URL, or HOST and PORT. Neither BASE_URL nor PORT is set here. If the service",
            `has another address, set BASE_URL and run: queue-api owner link ${email}`,
          ]
        : []),
    ].join("\n"),
  };
}

function view({ id, email, role, passwordHash, createdAt }: Owner) {
  return { id, email, role, hasPassword: passwordHash !== null, createdAt: timestamp(createdAt) };
}

const headings = ["E-MAIL", "ROLE", "PASSWORD", "ADDED", "ID"];

function row({ id, email, role, passwordHash, createdAt }: Owner) {
  return [email, role, passwordHash === null ? "not set yet" : "set", minuteOf(createdAt), id];
}

export function list(owners: readonly Owner[]): Output {
  const text = tableOr("No owners or staff.", headings, owners.map(row));
  return { json: owners.map(view), text };
}

export function one(owner: Owner): Output {
  return { json: view(owner), text: table(headings, [row(owner)]) };
}
