import type { NewKey } from "../owner/key.js";
import { keyState } from "../rules/key.js";
import type { KeyInUse } from "../rules/records.js";
import { type Cell, minuteOf, type Output, table, tableOr, timestamp } from "./output.js";

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

export function list(keys: readonly KeyInUse[], now: number): Output {
  return {
    json: keys.map((key) => view(key, now)),
    text: tableOr(
      "No keys.",
      headings,
      keys.map((key) => row(key, now)),
    ),
  };
}

export function one(key: KeyInUse, now: number): Output {
  return { json: view(key, now), text: table(headings, [row(key, now)]) };
}

/** A key after a change, with a note if the key is no longer active. */
export function changed(key: KeyInUse, now: number): Output {
  const { json, text } = one(key, now);
  const status = statusOf(key, now);
  if (status === "active") return { json, text };
  const reason = status === "revoked" ? "is revoked" : "has expired";
  return {
    json,
    text: `${text}\n\nThis key ${reason}, so requests cannot use it. Create another key with: queue-api key create`,
  };
}
