import { limits, scopes } from "@queue-api/contract";
import type { Response } from "express";
import { type Html, html } from "../../lib/html.js";
import type { AddKeyOutcome } from "../../store/port/business.js";
import {
  areaField,
  asList,
  asNumber,
  asWords,
  checkField,
  type FormState,
  fieldError,
  textField,
} from "../forms.js";
import { at } from "../root.js";
import { secretShownBefore } from "../secret.js";
import { scopeWords } from "./one-key.js";

/** The labels and parsers of a key's fields. */
export const keyFields = {
  name: { label: "Name" },
  scopes: { label: "What it may do", read: asList },
  days: { label: "Lifetime in days", read: asNumber },
  allowIps: { label: "Addresses", read: asWords },
  requestsPerMinute: { label: "Requests a minute", read: asNumber },
  writesPerMinute: { label: "Writes a minute", read: asNumber },
} as const;

/** The checkboxes for the scopes of a key. */
export function scopesField(state: FormState): Html {
  const error = state.errors.scopes;
  const boxes = scopes.map((scope) =>
    checkField(
      {
        name: "scopes",
        value: scope,
        label: sentenceCase(scopeWords[scope]),
        hint: scope,
        checked: scope !== "appointments:read",
      },
      state,
    ),
  );
  return html`<fieldset class="field"${error && html` aria-describedby="scopes-error"`}>
<legend>${keyFields.scopes.label}</legend>
${boxes}${fieldError("scopes", error)}</fieldset>
`;
}

/** The field for the lifetime of a key. */
export function daysField(state: FormState, value: number = limits.keyLifetimeDays.default): Html {
  const { min, max } = limits.keyLifetimeDays;
  return textField(
    {
      name: "days",
      label: keyFields.days.label,
      type: "number",
      hint: `From ${min} to ${max}. You are warned two weeks before the end.`,
      value: `${value}`,
      attributes: html`min="${min}" max="${max}" required`,
    },
    state,
  );
}

interface Changeable {
  readonly name: string;
  readonly allowIps: readonly string[];
  readonly requestsPerMinute: number;
  readonly writesPerMinute: number;
}

/** The fields that can be set when a key is made, and changed later. */
export function changeableFields(state: FormState, key?: Changeable): Html {
  const { requestsPerMinute = limits.requestsPerMinute } = key ?? {};
  const { writesPerMinute = limits.writesPerMinute } = key ?? {};
  const count = (name: "requestsPerMinute" | "writesPerMinute", value: number, hint: string) =>
    textField(
      {
        name,
        label: keyFields[name].label,
        type: "number",
        hint,
        value: `${value}`,
        attributes: html`min="1" required`,
      },
      state,
    );
  return html`${textField(
    {
      name: "name",
      label: keyFields.name.label,
      hint: "Which machine or program uses it, such as: Kiosk in the lobby.",
      value: key?.name ?? "",
      attributes: html`maxlength="240" required`,
    },
    state,
  )}${areaField(
    {
      name: "allowIps",
      label: "Addresses it may be used from",
      hint: "IPv4 addresses, IPv4 ranges like 203.0.113.0/24, or IPv6 addresses, one a line. Empty: from anywhere.",
      value: key?.allowIps.join("\n") ?? "",
    },
    state,
  )}<div class="fields">
${count("requestsPerMinute", requestsPerMinute, "All requests together.")}${count("writesPerMinute", writesPerMinute, "Of them, those that create or cancel.")}</div>
`;
}

function sentenceCase(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The purpose of a new key. */
export type Purpose = "to have one more" | "to replace one";

/** Says that the business is at its key limit, and what to do about it. */
export function keyLimitReached(res: Response, purpose: Purpose): Html {
  const both = "The old key and the new one both work until you revoke the old one.";
  return html`<div class="empty">
<p>This business has ${limits.activeKeys} keys in use, which is the maximum. ${purpose === "to replace one" && `${both} `}Revoke one that is no longer needed; then you can make this one.</p>
<p class="soft">The list shows when each key was last used.</p>
<p><a class="button" href="${at(res, "/keys")}">To the keys</a></p>
</div>
`;
}

/** Says why a key was not made. */
export function notMade(
  res: Response,
  outcome: Exclude<AddKeyOutcome, "added">,
  purpose: Purpose,
): Html {
  return outcome === "exists" ? secretShownBefore : keyLimitReached(res, purpose);
}
