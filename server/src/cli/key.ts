import { limits, scopes } from "@queue-api/contract";
import { findBusiness } from "../owner/business.js";
import { changeKey, createKey, revokeKey } from "../owner/key.js";
import {
  type CreateFlags,
  everyAddress,
  keyChangeOf,
  keyOptionsOf,
  number,
  type SetFlags,
} from "./key-flags.js";
import { changed, created, keyFields, keysAt } from "./key-output.js";
import { runOwner } from "./owner-command.js";
import type { QueueApiCommand } from "./queue-api-command.js";

const { min, max, default: usual } = limits.keyLifetimeDays;

/** `queue-api key create | list | set | revoke` */
export function addKeyCommands(program: QueueApiCommand): void {
  const key = program.command("key").description("create, list, change and revoke API keys");

  key
    .command("create")
    .description("create a key; it is shown once and not stored")
    .requiredOption("--business <slug>", "slug of the business")
    .requiredOption("--name <name>", "what the key is for")
    .requiredOption("--scope <scope...>", `what it may do: ${scopes.join(", ")}`)
    .option("--days <n>", `lifetime in days, ${min} to ${max} (default: ${usual})`, number)
    .option(
      "--allow-ip <address...>",
      "IPv4 address, IPv4 range or IPv6 address that may use it (default: all)",
    )
    .option(
      "--requests-per-minute <n>",
      `requests in a minute (default: ${limits.requestsPerMinute})`,
      number,
    )
    .option(
      "--writes-per-minute <n>",
      `POST requests in a minute (default: ${limits.writesPerMinute})`,
      number,
    )
    .manual({
      examples: [
        "queue-api key create --business sunrise --name Kiosk --scope queue:read queue:write --days 30",
        'queue-api key create --business sunrise --name "Back office" --scope appointments:read --allow-ip 203.0.113.0/24',
      ],
      json: "{ id, key, name, scopes, expiresAt }",
    })
    .action(({ business, ...options }: CreateFlags & { business: string }, command) => {
      const wanted = keyOptionsOf(options);
      return runOwner(command, async ({ store, now, random }) =>
        created(await createKey(store, business, wanted, { now, random })),
      );
    });

  key
    .command("list")
    .description("list all keys of a business, never their secrets")
    .requiredOption("--business <slug>", "slug of the business")
    .manual({
      examples: ["queue-api key list --business sunrise"],
      json: `[{ ${keyFields} }]; status is active, expired or revoked; purpose is owner or demo`,
    })
    .does(async ({ store, now }, { business }: { business: string }) =>
      keysAt(now).list(await store.keys.list((await findBusiness(store, business)).id)),
    );

  key
    .command("set")
    .description("change a key from its next request on; options that are not given stay unchanged")
    .argument("<key-id>", "id of the key")
    .option("--name <name>", "what the key is for")
    .option(
      "--allow-ip <address...>",
      `IPv4 addresses, IPv4 ranges or IPv6 addresses that may use it, which replace the earlier ones; or: ${everyAddress}`,
    )
    .option("--requests-per-minute <n>", "requests in a minute", number)
    .option("--writes-per-minute <n>", "POST requests in a minute", number)
    .manual({
      examples: [
        "queue-api key set KEY_ID --allow-ip 203.0.113.7 198.51.100.0/24",
        `queue-api key set KEY_ID --allow-ip ${everyAddress} --requests-per-minute 300`,
      ],
      json: `{ ${keyFields} }`,
    })
    .action((keyId: string, options: SetFlags, command) => {
      const change = keyChangeOf(options);
      return runOwner(command, async ({ store, now }) =>
        changed(await changeKey(store, keyId, change), now),
      );
    });

  key
    .command("revoke")
    .description("revoke a key permanently, from its next request on")
    .argument("<key-id>", "id of the key")
    .manual({ examples: ["queue-api key revoke KEY_ID"], json: `{ ${keyFields} }` })
    .does(async ({ store, now }, keyId: string) =>
      keysAt(now).one(await revokeKey(store, keyId, now)),
    );
}
