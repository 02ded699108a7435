import { id, type Scope } from "@queue-api/contract";
import { type Html, html } from "../../lib/html.js";
import { type KeyState, keyState } from "../../rules/key.js";
import type { ApiKey, KeyInUse } from "../../rules/records.js";
import type { Store } from "../../store/store.js";
import { orNotFound } from "../errors.js";

/** A key of a business. @throws PageNotFound if the business has no key with that id. */
export async function ownKey(store: Store, businessId: string, keyId: string): Promise<KeyInUse> {
  return orNotFound((await store.keys.list(businessId)).find(({ id }) => id === keyId));
}

/** The key id in a URL or a form, or null if there is none. */
export function askedId(given: unknown): string | null {
  return id.safeParse(given).data ?? null;
}

/** What each scope allows, in words for the owner. */
export const scopeWords: Readonly<Record<Scope, string>> = {
  "queue:read": "read queues, the people in them, and services",
  "queue:write": "create tokens, and cancel those that wait",
  "appointments:read": "read appointments",
};

const badges: Readonly<Record<KeyState, { kind: string; word: string }>> = {
  active: { kind: "good", word: "Active" },
  expiring: { kind: "warn", word: "Expires soon" },
  expired: { kind: "", word: "Expired" },
  revoked: { kind: "bad", word: "Revoked" },
};

/** The scopes of a key, by their API names. */
export function scopeNames(scopes: readonly Scope[]): Html {
  return html`<span>${scopes.map((scope) => html`<code>${scope}</code> `)}</span>`;
}

/** The state of a key, as a coloured word. */
export function stateBadge(key: ApiKey, now: number): Html {
  const { kind, word } = badges[keyState(key, now)];
  return html`<span class="badge ${kind}">${word}</span>`;
}

/** The time until a key ends: `in 9 days`. */
export function daysUntil(end: number, now: number): string {
  const days = Math.round((end - now) / 86_400_000);
  if (days < 1) return "within a day";
  return days === 1 ? "in a day" : `in ${days} days`;
}
