import { limits, type Scope, scopes } from "@queue-api/contract";
import { type Html, html } from "../../lib/html.js";
import type { AddKeyOutcome } from "../../operations/keys.js";
import { type KeyState, keyState } from "../../rules/key.js";
import type { ApiKey, KeyWithLastUse } from "../../rules/records.js";
import { asList, asNumber, asWords, type FormState, fieldError, inputs, inRow } from "../forms.js";
import { copyable, type View } from "../layout.js";
import { dashboardPath } from "../request.js";
import type { Visit } from "../visit.js";

/** What each scope allows, in words for the owner. */
const scopeWords: Readonly<Record<Scope, string>> = {
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

/** The state of a key, as a colored word. */
export function stateBadge(key: ApiKey, now: number): Html {
  const { kind, word } = badges[keyState(key, now)];
  return html`<span class="badge ${kind}">${word}</span>`;
}

const changeable = {
  name: { label: "Name" },
  allowIps: { label: "Addresses", read: asWords },
  requestsPerMinute: { label: "Requests a minute", read: asNumber },
  writesPerMinute: { label: "Writes a minute", read: asNumber },
} as const;

/** The definitions of the fields of a new key, of a changed one, and of one that replaces another. */
export const keyFields = {
  changed: changeable,
  successor: { days: { label: "Lifetime in days", read: asNumber } },
  added: {
    ...changeable,
    scopes: { label: "Permissions", read: asList },
    days: { label: "Lifetime in days", read: asNumber },
  },
} as const;

/** The fields that can be set when a key is made, and changed later. */
export function changeableInputs(state: FormState, key: KeyWithLastUse | null): readonly Html[] {
  const { text, area } = inputs(state, changeable);
  const { requestsPerMinute, writesPerMinute } = key ?? limits;
  const count = { type: "number", attributes: html`min="1" required` } as const;
  return [
    text({
      name: "name",
      hint: "Which machine or program uses it, such as: Kiosk in the lobby.",
      value: key?.name,
      attributes: html`required`,
    }),
    area({
      name: "allowIps",
      label: "Addresses it may be used from",
      hint: "IPv4 addresses, IPv4 ranges like 203.0.113.0/24, or IPv6 addresses, one a line. Empty: from anywhere.",
      value: key?.allowIps.join("\n"),
    }),
    inRow(
      text({
        name: "requestsPerMinute",
        hint: "All requests together.",
        value: requestsPerMinute,
        ...count,
      }),
      text({
        name: "writesPerMinute",
        hint: "How many of them may create or cancel.",
        value: writesPerMinute,
        ...count,
      }),
    ),
  ];
}

/** The field for the lifetime of a key. */
export function daysInput(state: FormState, value: number = limits.keyLifetimeDays.default): Html {
  const { min, max } = limits.keyLifetimeDays;
  return inputs(state, keyFields.successor).text({
    name: "days",
    type: "number",
    hint: `From ${min} to ${max}. You are warned two weeks before the end.`,
    value,
    attributes: html`min="${min}" max="${max}" required`,
  });
}

/** The checkboxes for the scopes of a new key. */
export function scopesInput(state: FormState): Html {
  const error = state.errors.scopes;
  const { check } = inputs(state);
  const boxes = scopes.map((scope) =>
    check({
      name: "scopes",
      value: scope,
      label: scopeWords[scope],
      hint: scope,
      checked: scope !== "appointments:read",
    }),
  );
  return html`<fieldset class="field"${error && html` aria-describedby="scopes-error"`}>
<legend>What it may do</legend>
${boxes}${fieldError("scopes", error)}</fieldset>
`;
}

/** A new key, on the only page that shows it. `next` stands below it. */
export function secretView({ baseUrl }: Visit, title: string, key: string, next: Html): View {
  const curl = `curl -H "Authorization: Bearer ${key}" ${baseUrl()}/v1/me`;
  const body = html`<section class="card" aria-labelledby="secret-title">
<h2 id="secret-title">The key, shown only once</h2>
<p class="flash warning">Copy it now to the machine that needs it. The service does not store it and cannot show it again. Anyone who has the key can use it, so do not put it into mail, a browser or an app.</p>
${copyable("the-key", "The key", key)}${copyable("the-curl", "A first request with it", curl)}</section>
${next}`;
  return { title, body, status: 201 };
}

/** Says why a key is not made. `isReplacement`: it would replace another one. */
export function notMade(
  { res }: Visit,
  title: string,
  outcome: Exclude<AddKeyOutcome, "added">,
  isReplacement = false,
): View {
  const both = "The old key and the new one both work until you revoke the old one. ";
  const body =
    outcome === "exists"
      ? html`<p>This key was made already. It was shown then, and cannot be shown again.</p>
<p>If you did not copy it, revoke it and make another one.</p>
`
      : html`<div class="empty">
<p>This business has ${limits.activeKeys} keys in use, which is the maximum. ${isReplacement && both}Revoke one that is no longer needed; then you can make this one.</p>
<p class="soft">The list shows when each key was last used.</p>
<p><a class="button" href="${dashboardPath(res, "/keys")}">To the keys</a></p>
</div>
`;
  return { title, body, status: 409 };
}
