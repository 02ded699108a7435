import { limits, scopes } from "@queue-api/contract";
import type { z } from "zod";
import { readWholeNumber } from "../lib/whole-number.js";
import { findBusiness } from "../owner/business.js";
import {
  changeKey,
  createKey,
  keyChanges,
  keyOptions,
  type NewKey,
  revokeKey,
} from "../owner/key.js";
import { check, issueLine } from "../owner/validation-issues.js";
import { keyState } from "../rules/key.js";
import type { KeyWithLastUse } from "../rules/records.js";
import { timestamp, timestampOrNull } from "../rules/timestamp.js";
import { requireOption } from "./arguments.js";
import type { QueueApiCommand } from "./command.js";
import { UsageError } from "./command-errors.js";
import { asMinute, type Output, printer } from "./output.js";

interface KeyFlags {
  readonly name?: string;
  readonly scope?: readonly string[];
  /** NaN if the text is not a number; the schema reports it. */
  readonly days?: number;
  readonly allowIp?: readonly string[];
  readonly requestsPerMinute?: number;
  readonly writesPerMinute?: number;
}

/** The value of `--allow-ip` that clears the allowlist of a key that exists. */
const everyAddress = "all";

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
    .option("--days <n>", `lifetime in days, ${min} to ${max} (default: ${usual})`, readWholeNumber)
    .option(
      "--allow-ip <address...>",
      "IPv4 address, IPv4 range or IPv6 address that may use it (default: all)",
    )
    .option(
      "--requests-per-minute <n>",
      `requests in a minute (default: ${limits.requestsPerMinute})`,
      readWholeNumber,
    )
    .option(
      "--writes-per-minute <n>",
      `POST requests in a minute (default: ${limits.writesPerMinute})`,
      readWholeNumber,
    )
    .examples(
      "queue-api key create --business sunrise --name Kiosk --scope queue:read queue:write --days 30",
      'queue-api key create --business sunrise --name "Back office" --scope appointments:read --allow-ip 203.0.113.0/24',
    )
    .printsJson("{ id, key, name, scopes, expiresAt }")
    .does(async (context, { business, ...flags }: KeyFlags & { readonly business: string }) =>
      created(await createKey(context.store, business, checked(keyOptions, flags), context)),
    );

  key
    .command("list")
    .description("list all keys of a business, never their secrets")
    .requiredOption("--business <slug>", "slug of the business")
    .examples("queue-api key list --business sunrise")
    .lists(keys, async ({ store }, { business }: { readonly business: string }) =>
      store.keys.list((await findBusiness(store, business)).id),
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
    .option("--requests-per-minute <n>", "requests in a minute", readWholeNumber)
    .option("--writes-per-minute <n>", "POST requests in a minute", readWholeNumber)
    .examples(
      "queue-api key set KEY_ID --allow-ip 203.0.113.7 198.51.100.0/24",
      `queue-api key set KEY_ID --allow-ip ${everyAddress} --requests-per-minute 300`,
    )
    .printsJson(keys.shape)
    .does(async ({ store, now }, keyId: string, flags: KeyFlags) => {
      requireOption(flags, "--name, --allow-ip, --requests-per-minute and --writes-per-minute");
      const isForAll = flags.allowIp?.length === 1 && flags.allowIp[0] === everyAddress;
      const wanted = isForAll ? { ...flags, allowIp: [] } : flags;
      const key = await changeKey(store, keyId, checked(keyChanges, wanted));
      const { json, text } = keys.one(key, now);
      return { json, text: text + noteOn(key, now) };
    });

  key
    .command("revoke")
    .description("revoke a key permanently, from its next request on")
    .argument("<key-id>", "id of the key")
    .examples("queue-api key revoke KEY_ID")
    .shows(keys, ({ store, now }, keyId: string) => revokeKey(store, keyId, now));
}

const flagOf: Readonly<Record<string, string>> = {
  name: "--name",
  scopes: "--scope",
  days: "--days",
  allowIps: "--allow-ip",
  requestsPerMinute: "--requests-per-minute",
  writesPerMinute: "--writes-per-minute",
};

/** The options of a key by their schema. Throws UsageError, which names each wrong option. */
function checked<Schema extends z.ZodType>(
  schema: Schema,
  { scope, allowIp: allowIps, ...rest }: KeyFlags,
): z.output<Schema> {
  const result = check(schema, {
    ...rest,
    ...(scope && { scopes: scope }),
    ...(allowIps && { allowIps }),
  });
  if (result.ok) return result.value;
  const issues = result.issues.map(({ path, message }) => {
    const [field = ""] = path.split("[", 1);
    return { path: flagOf[field] ?? path, message };
  });
  throw new UsageError(issueLine(issues));
}

/** A new key with its secret. */
function created({ record, key }: NewKey): Output {
  const { id, name, scopes, expiresAt } = record;
  const end = asMinute(expiresAt) ?? "it is revoked";
  return {
    json: { id, key, name, scopes, expiresAt: timestampOrNull(expiresAt) },
    text: `${key}\n\nThis is the only time the key is shown. It is valid until ${end}.`,
  };
}

/** The status of a key. Unlike the dashboard, the command line has no status for a key that expires soon. */
function statusOf(key: KeyWithLastUse, now: number): "active" | "expired" | "revoked" {
  const state = keyState(key, now);
  return state === "expiring" ? "active" : state;
}

/** A note if the key is no longer active. */
function noteOn(key: KeyWithLastUse, now: number): string {
  const status = statusOf(key, now);
  if (status === "active") return "";
  const reason = status === "revoked" ? "is revoked" : "has expired";
  return `\n\nThis key ${reason}, so requests cannot use it. Create another key with: queue-api key create`;
}

const keys = printer<KeyWithLastUse>({
  shape: `{ id, name, purpose: owner | demo, scopes, allowIps, requestsPerMinute, writesPerMinute,
   status: active | expired | revoked, createdAt, expiresAt, revokedAt, lastUsedAt }`,
  json: (key, now) => ({
    id: key.id,
    name: key.name,
    purpose: key.purpose,
    scopes: key.scopes,
    allowIps: key.allowIps,
    requestsPerMinute: key.requestsPerMinute,
    writesPerMinute: key.writesPerMinute,
    status: statusOf(key, now),
    createdAt: timestamp(key.createdAt),
    expiresAt: timestampOrNull(key.expiresAt),
    revokedAt: timestampOrNull(key.revokedAt),
    lastUsedAt: timestampOrNull(key.lastUsedAt),
  }),
  columns: {
    KEY: ({ id }) => id,
    NAME: ({ name }) => name,
    STATUS: statusOf,
    EXPIRES: ({ expiresAt }) => asMinute(expiresAt),
    "LAST USED": ({ lastUsedAt }) => asMinute(lastUsedAt),
    SCOPES: ({ scopes }) => scopes.join(" "),
    ADDRESSES: ({ allowIps }) => allowIps.join(" ") || "all",
    "PER MINUTE": (key) => `${key.requestsPerMinute}, ${key.writesPerMinute} writes`,
  },
  none: "No keys.",
});
