import { customerName, limits, scopes } from "@queue-api/contract";
import { z } from "zod";
import { wholeNumber } from "../lib/whole-number.js";
import type { Store } from "../operations/store.js";
import { allowlistIssue } from "../rules/address.js";
import { newId } from "../rules/ids.js";
import { hashSecret, type KeyChange, newSecret, writeKey } from "../rules/key.js";
import type { Random } from "../rules/ports.js";
import type { ApiKey, KeyPurpose, KeyWithLastUse } from "../rules/records.js";
import { businessWith, findBusiness, noSuch } from "./business.js";
import type { CreationContext } from "./creation-context.js";
import { OwnerError } from "./owner-error.js";
import { check } from "./validation-issues.js";

export const millisecondsPerDay = 86_400_000;

/** Far above any real use. The limit detects typing errors. */
const maxPerMinute = 1_000_000;

/** Far above any real use. Each request compares its address with all of them. */
const maxAddresses = 200;

const allowIps = z
  .array(
    z.string().refine((item) => allowlistIssue(item) === null, {
      error: ({ input }) => allowlistIssue(String(input)) ?? undefined,
    }),
  )
  .max(maxAddresses, `must contain at most ${maxAddresses} addresses and ranges`);

const perMinute = wholeNumber(1, maxPerMinute);

/** The fields of a new key, on the command line and in a seed file. */
export const keyOptions = z.strictObject({
  /** Shown to the owner and by `GET /v1/me`; 1 to 120 characters. */
  name: customerName,
  /** What the key may do; at least one. */
  scopes: z
    .array(z.enum(scopes))
    .min(1, "must name at least one scope")
    .transform((named) => [...new Set(named)]),
  /** Lifetime in days. */
  days: wholeNumber(limits.keyLifetimeDays.min, limits.keyLifetimeDays.max).default(
    limits.keyLifetimeDays.default,
  ),
  /** IPv4 addresses, IPv4 ranges and exact IPv6 addresses; an empty list allows every address. */
  allowIps: allowIps.default([]),
  /** Requests in one window of a minute. */
  requestsPerMinute: perMinute.default(limits.requestsPerMinute),
  /** POST requests in one window of a minute; each counts as a request too. */
  writesPerMinute: perMinute.default(limits.writesPerMinute),
});

/** The input of a new key. Fields with a default are optional. */
export type KeyOptions = z.input<typeof keyOptions>;

/** The changes to a key. An absent field stays as it is. */
export const keyChanges = z.strictObject({
  name: keyOptions.shape.name.exactOptional(),
  allowIps: allowIps.exactOptional(),
  requestsPerMinute: perMinute.exactOptional(),
  writesPerMinute: perMinute.exactOptional(),
});

/** A new key with the only copy of its secret. */
export interface NewKey {
  readonly record: ApiKey;
  /** `svc_live_<id>_<secret>`: show it once and do not store it. */
  readonly key: string;
}

/**
 * Makes the record of a key that is valid from now on, and its secret. Does not store it. Default `purpose`: owner.
 * Default `id`: a new one.
 */
export function makeKey(
  businessId: string,
  options: z.output<typeof keyOptions> & { readonly purpose?: KeyPurpose },
  now: number,
  random: Random,
  id = newId(now, random),
): NewKey {
  const secret = newSecret(random);
  const { days, purpose = "owner", ...kept } = options;
  const record = {
    id,
    businessId,
    ...kept,
    purpose,
    secretHash: hashSecret(secret),
    createdAt: now,
    expiresAt: now + days * millisecondsPerDay,
    revokedAt: null,
    revision: 0,
  };
  return { record, key: writeKey(id, secret) };
}

/**
 * Creates a key for a business. Default `purpose`: owner.
 *
 * @throws OwnerError if an option is invalid, the business does not exist, or it has the maximum number of active keys.
 */
export async function createKey(
  store: Store,
  slug: string,
  options: KeyOptions,
  { now, random, purpose = "owner" }: CreationContext & { readonly purpose?: KeyPurpose },
): Promise<NewKey> {
  const checked = check(keyOptions, options);
  if (!checked.ok) throw new OwnerError({ code: "invalid_options", issues: checked.issues });
  const business = await findBusiness(store, slug);
  const made = makeKey(business.id, { ...checked.value, purpose }, now, random);
  const outcome = await store.keys.add(business.id, made.record);
  if (outcome === "exists") throw new Error("the random id of a new key was taken");
  if (outcome === "too_many_active") {
    throw new OwnerError({ code: "key_limit_reached" });
  }
  return made;
}

/**
 * The options of a key that replaces another one: the same name, scopes, addresses and limits, and the same lifetime
 * from now on.
 */
export function successorOptions(key: ApiKey): z.output<typeof keyOptions> {
  const { name, scopes, allowIps, requestsPerMinute, writesPerMinute } = key;
  const { min, max, default: usual } = limits.keyLifetimeDays;
  const lived =
    key.expiresAt === null ? usual : (key.expiresAt - key.createdAt) / millisecondsPerDay;
  const days = Math.min(max, Math.max(min, Math.round(lived)));
  return {
    name,
    scopes: [...scopes],
    allowIps: [...allowIps],
    days,
    requestsPerMinute,
    writesPerMinute,
  };
}

/** Revokes a key from its next request on. Revoking it again changes nothing. Throws {@link OwnerError}. */
export function revokeKey(store: Store, keyId: string, now: number): Promise<KeyWithLastUse> {
  return changeKey(store, keyId, { revokedAt: now });
}

/** Changes a key from its next request on. Throws {@link OwnerError} if it does not exist. */
export async function changeKey(
  store: Store,
  keyId: string,
  change: KeyChange,
): Promise<KeyWithLastUse> {
  const business = await businessWith(store, "key", keyId);
  const key = await store.keys.change(business.id, keyId, change);
  if (!key) throw noSuch("key");
  return key;
}
