import { limits } from "@queue-api/contract";
import type { Response } from "express";
import { type Html, html } from "../../lib/html.js";
import type { AddKeyOutcome } from "../../store/port/keys.js";
import { at } from "../root.js";
import { secretShownBefore } from "./secret.js";

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
