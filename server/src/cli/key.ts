import { limits, scopes } from "@queue-api/contract";
import { check, type Fault, faultLine } from "../owner/faults.js";
import { changeKey, createKey, listKeys, type NewKey, revokeKey } from "../owner/key.js";
import { type KeyOptions, keyChanges, keyOptions } from "../owner/key-options.js";
import { keyState } from "../rules/key.js";
import type { KeyInUse } from "../rules/records.js";
import type { KeyChange } from "../store/store.js";
import { type Cell, minuteOf, type Output, table, tableOr, timestamp } from "./output.js";
import { runOwner } from "./owner-command.js";
import type { QueueApiCommand } from "./queue-api-command.js";
import { UsageError } from "./usage-error.js";

interface CreateOptions {
  readonly business: string;
  readonly name: string;
  readonly scope: readonly string[];
  readonly days?: number;
  readonly allowIp?: readonly string[];
  readonly requestsPerMinute?: number;
  readonly writesPerMinute?: number;
}

interface SetOptions {
  readonly name?: string;
  readonly allowIp?: readonly string[];
  readonly requestsPerMinute?: number;
  readonly writesPerMinute?: number;
}

/** What stands for an empty allowlist on the command line. */
const everyAddress = "all";

const { min, max, default: usual } = limits.keyLifetimeDays;
const fields =
  "id, name, purpose, scopes, allowIps, requestsPerMinute, writesPerMinute,\n   status, createdAt, expiresAt, revokedAt, lastUsedAt";

/** `queue-api key create | list | set | revoke` */
export function addKeyCommands(program: QueueApiCommand): void {
  const key = program.command("key").description("create, list, change and revoke API keys");

  key
    .command("create")
    .description("create a key; it is shown once and kept nowhere")
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
    .action(({ business, ...options }: CreateOptions, command) => {
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
      json: `[{ ${fields} }]; status is active, expired or revoked; purpose is owner, demo or simulation`,
    })
    .action(({ business }: { business: string }, command) =>
      runOwner(command, async ({ store, now }) => list(await listKeys(store, business), now)),
    );

  key
    .command("set")
    .description("change a key from its next request on; what is not named stays")
    .argument("<key-id>", "id of the key")
    .option("--name <name>", "what the key is for")
    .option(
      "--allow-ip <address...>",
      `IPv4 addresses, IPv4 ranges or IPv6 addresses that may use it, and no others; or: ${everyAddress}`,
    )
    .option("--requests-per-minute <n>", "requests in a minute", number)
    .option("--writes-per-minute <n>", "POST requests in a minute", number)
    .manual({
      examples: [
        "queue-api key set KEY_ID --allow-ip 203.0.113.7 198.51.100.0/24",
        `queue-api key set KEY_ID --allow-ip ${everyAddress} --requests-per-minute 300`,
      ],
      json: `{ ${fields} }`,
    })
    .action((keyId: string, options: SetOptions, command) => {
      const change = keyChangeOf(options);
      return runOwner(command, async ({ store, now }) =>
        one(await changeKey(store, keyId, change), now),
      );
    });

  key
    .command("revoke")
    .description("revoke a key from its next request on; once revoked, it stays so")
    .argument("<key-id>", "id of the key")
    .manual({ examples: ["queue-api key revoke KEY_ID"], json: `{ ${fields} }` })
    .action((keyId: string, _options, command) =>
      runOwner(command, async ({ store, now }) => one(await revokeKey(store, keyId, now), now)),
    );
}

/** NaN, which the schema refuses by name, for what is not a plain number. */
function number(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

const flags: Readonly<Record<string, string>> = {
  name: "--name",
  scopes: "--scope",
  days: "--days",
  allowIps: "--allow-ip",
  requestsPerMinute: "--requests-per-minute",
  writesPerMinute: "--writes-per-minute",
};

/** The options of a key, checked here so that a wrong one is told by its flag, as wrong usage. */
function keyOptionsOf(options: Omit<CreateOptions, "business">): KeyOptions {
  const { scope, allowIp, ...rest } = options;
  const checked = check(keyOptions, { ...rest, scopes: scope, allowIps: allowIp });
  if (!checked.ok) throw new UsageError(faultLine(checked.faults.map(byFlag)));
  return checked.value;
}

/** What is to be changed of a key, checked likewise. */
function keyChangeOf({ allowIp, ...rest }: SetOptions): KeyChange {
  const all = allowIp?.length === 1 && allowIp[0] === everyAddress;
  const change = { ...rest, ...(allowIp && { allowIps: all ? [] : allowIp }) };
  if (Object.keys(change).length === 0) {
    throw new UsageError(
      "there is nothing to change; name at least one of --name, --allow-ip, --requests-per-minute and --writes-per-minute",
    );
  }
  const checked = check(keyChanges, change);
  if (!checked.ok) throw new UsageError(faultLine(checked.faults.map(byFlag)));
  return checked.value;
}

function byFlag({ path, message }: Fault): Fault {
  const [field = ""] = path.split("[", 1);
  return { path: flags[field] ?? path, message };
}

function created({ record, key }: NewKey): Output {
  const { id, name, scopes, expiresAt } = record;
  return {
    json: { id, key, name, scopes, expiresAt: timestamp(expiresAt) },
    text: [
      key,
      "",
      `This is the only time the key is shown. It is valid until ${minuteOf(expiresAt) ?? "it is revoked"}.`,
    ].join("\n"),
  };
}

/** One that expires soon is active here: what reads this goes by three words. */
function statusOf(key: KeyInUse, now: number): "active" | "expired" | "revoked" {
  const state = keyState(key, now);
  return state === "expiring" ? "active" : state;
}

function view(key: KeyInUse, now: number) {
  return {
    id: key.id,
    name: key.name,
    purpose: key.purpose,
    scopes: key.scopes,
    allowIps: key.allowIps,
    requestsPerMinute: key.requestsPerMinute,
    writesPerMinute: key.writesPerMinute,
    status: statusOf(key, now),
    createdAt: timestamp(key.createdAt),
    expiresAt: timestamp(key.expiresAt),
    revokedAt: timestamp(key.revokedAt),
    lastUsedAt: timestamp(key.lastUsedAt),
  };
}

const headings = [
  "KEY",
  "NAME",
  "STATUS",
  "EXPIRES",
  "LAST USED",
  "SCOPES",
  "ADDRESSES",
  "PER MINUTE",
];

function row(key: KeyInUse, now: number): Cell[] {
  return [
    key.id,
    key.name,
    statusOf(key, now),
    minuteOf(key.expiresAt),
    minuteOf(key.lastUsedAt),
    key.scopes.join(" "),
    key.allowIps.join(" ") || "all",
    `${key.requestsPerMinute}, ${key.writesPerMinute} writes`,
  ];
}

function list(keys: readonly KeyInUse[], now: number): Output {
  return {
    json: keys.map((key) => view(key, now)),
    text: tableOr(
      "No keys.",
      headings,
      keys.map((key) => row(key, now)),
    ),
  };
}

function one(key: KeyInUse, now: number): Output {
  return { json: view(key, now), text: table(headings, [row(key, now)]) };
}
