import { hash, timingSafeEqual } from "node:crypto";
import { limits } from "@queue-api/contract/limits";
import { randomText } from "./base62.js";
import type { Random } from "./ports.js";
import type { ApiKey } from "./records.js";

/** The two parts of `svc_live_<id>_<secret>`. */
export interface Credentials {
  readonly keyId: string;
  /** SHA-256 of the secret, in hex. */
  readonly secretHash: string;
}

const keyForm = /^svc_live_([a-zA-Z0-9]{20,32})_([a-zA-Z0-9]{43})$/;
const keyShape = /svc_live_[a-z0-9]+_[a-z0-9]/i;

/** 43 letters and digits encode 256 random bits. */
const secretLength = 43;

/** The key in `Authorization: Bearer <API_KEY>`, or null if the header is malformed. */
export function readAuthorization(header: string | undefined): Credentials | null {
  return readKey(/^bearer +(\S+) *$/i.exec(header ?? "")?.[1] ?? "");
}

/** The two parts of a key, or null if it is malformed. */
export function readKey(key: string): Credentials | null {
  const [, keyId, secret] = keyForm.exec(key) ?? [];
  return keyId && secret ? { keyId, secretHash: hashSecret(secret) } : null;
}

/** Whether a text contains something that looks like a key, valid or not. */
export function holdsKey(text: string): boolean {
  return keyShape.test(text);
}

/** Where a URL contains text with the shape of a key: a query parameter, `path` or `query`; null if nowhere. */
export function keyLocation(url: string): string | null {
  if (!holdsKey(url) && !(url.includes("%") && holdsKey(decoded(url)))) return null;
  const [path = "", query = ""] = url.split(/\?(.*)/s, 2);
  if (holdsKey(decoded(path))) return "path";
  for (const [name, value] of new URLSearchParams(query)) {
    if (holdsKey(decoded(value)) && !holdsKey(decoded(name))) return name;
  }
  return "query";
}

/** Decodes percent-encoding twice, so that a second encoding cannot hide a key. */
function decoded(text: string): string {
  const once = decodeOnce(text);
  return once.includes("%") ? decodeOnce(once) : once;
}

function decodeOnce(text: string): string {
  return text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** A new secret of 256 random bits. */
export function newSecret(random: Random): string {
  return randomText(random, secretLength);
}

/** The full key, which is shown once, when it is created. */
export function writeKey(keyId: string, secret: string): string {
  return `svc_live_${keyId}_${secret}`;
}

/** A single SHA-256 is sufficient, because a random secret of 256 bits cannot be guessed. */
export function hashSecret(secret: string): string {
  return hash("sha256", secret, "hex");
}

const dummyHash = "0".repeat(64);

/**
 * Whether these are the credentials of an active key. The comparison takes the same time for known and
 * unknown keys.
 */
export function isValidCredential(
  credentials: Credentials,
  key: ApiKey | null,
  now: number,
): boolean {
  const kept = Buffer.from(key?.secretHash ?? dummyHash);
  const given = Buffer.from(credentials.secretHash);
  const same = kept.length === given.length && timingSafeEqual(kept, given);
  return same && key !== null && isActive(key, now);
}

/** Whether a key is neither revoked nor expired. */
export function isActive(key: Pick<ApiKey, "revokedAt" | "expiresAt">, now: number): boolean {
  return key.revokedAt === null && (key.expiresAt === null || now < key.expiresAt);
}

/** How long before its expiry a key counts as expiring: time to create and deploy a new one. */
const warningMs = 14 * 86_400_000;

/**
 * The state of a key. `expiring` is an active key with less than two weeks left. Only keys with the purpose
 * `owner` are ever `expiring`, because the demo renews its own.
 */
export type KeyState = "active" | "expiring" | "expired" | "revoked";

/** The current state of a key. */
export function keyState(
  key: Pick<ApiKey, "revokedAt" | "expiresAt" | "purpose">,
  now: number,
): KeyState {
  if (key.revokedAt !== null) return "revoked";
  if (!isActive(key, now)) return "expired";
  const endsSoon = key.expiresAt !== null && key.expiresAt - now <= warningMs;
  return endsSoon && key.purpose === "owner" ? "expiring" : "active";
}

/** The fields of a key that can change; an absent field stays unchanged. `revokedAt` revokes the key. */
export type KeyChange = Partial<
  Pick<ApiKey, "name" | "allowIps" | "requestsPerMinute" | "writesPerMinute" | "revokedAt">
>;

/** A change of a key as it is stored: a key that was revoked before keeps the first time. */
export function revokedOnce(
  { revokedAt }: Pick<ApiKey, "revokedAt">,
  change: KeyChange,
): KeyChange {
  return revokedAt === null ? change : { ...change, revokedAt };
}

/** Whether a business with these keys may have one more active key. */
export function isBelowKeyLimit(
  keys: readonly Pick<ApiKey, "revokedAt" | "expiresAt">[],
  now: number,
): boolean {
  return keys.filter((key) => isActive(key, now)).length < limits.activeKeys;
}

/** The number of revoked and expired keys that a business keeps for its owners to look up. */
const maxEndedKeys = 100;

/** The ids of the keys to remove when one is added: those that have ended, but for the newest ones. */
export function forgottenKeys(
  keys: readonly Pick<ApiKey, "id" | "createdAt" | "revokedAt" | "expiresAt">[],
  now: number,
): string[] {
  const ended = keys.filter((key) => !isActive(key, now));
  const newestFirst = ended.sort((a, b) => b.createdAt - a.createdAt);
  return newestFirst.slice(maxEndedKeys).map(({ id }) => id);
}
