import type { Scope } from "@queue-api/contract";
import { type Html, html } from "../../lib/html.js";
import { type KeyState, keyState } from "../../rules/key.js";
import type { ApiKey } from "../../rules/records.js";

/** What each scope allows, in words for the owner. */
export const scopeWords: Readonly<Record<Scope, string>> = {
  "queue:read": "Read queues, the people in them, and services",
  "queue:write": "Create tokens, and cancel those that wait",
  "appointments:read": "Read appointments",
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
