import type { NewKey } from "../owner/key.js";
import { keyState } from "../rules/key.js";
import type { KeyInUse } from "../rules/records.js";
import { minuteOf, type Output, printer, timestamp } from "./output.js";

/** The fields of a key, as the manual lists them. */
export const keyFields =
  "id, name, purpose, scopes, allowIps, requestsPerMinute, writesPerMinute,\n   status, createdAt, expiresAt, revokedAt, lastUsedAt";

/** A new key with its secret. */
export function created({ record, key }: NewKey): Output {
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

/** The status of a key. Unlike the dashboard, the command line has no status for a key that expires soon. */
function statusOf(key: KeyInUse, now: number): "active" | "expired" | "revoked" {
  const state = keyState(key, now);
  return state === "expiring" ? "active" : state;
}

/** Prints keys as they are at a time. */
export const keysAt = (now: number) =>
  printer<KeyInUse>({
    json: (key) => ({
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
    }),
    columns: {
      KEY: ({ id }) => id,
      NAME: ({ name }) => name,
      STATUS: (key) => statusOf(key, now),
      EXPIRES: ({ expiresAt }) => minuteOf(expiresAt),
      "LAST USED": ({ lastUsedAt }) => minuteOf(lastUsedAt),
      SCOPES: ({ scopes }) => scopes.join(" "),
      ADDRESSES: ({ allowIps }) => allowIps.join(" ") || "all",
      "PER MINUTE": (key) => `${key.requestsPerMinute}, ${key.writesPerMinute} writes`,
    },
    none: "No keys.",
  });

/** A key after a change, with a note if the key is no longer active. */
export function changed(key: KeyInUse, now: number): Output {
  const { json, text } = keysAt(now).one(key);
  const status = statusOf(key, now);
  if (status === "active") return { json, text };
  const reason = status === "revoked" ? "is revoked" : "has expired";
  return {
    json,
    text: `${text}\n\nThis key ${reason}, so requests cannot use it. Create another key with: queue-api key create`,
  };
}
