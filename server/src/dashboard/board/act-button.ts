import { type Html, html } from "../../lib/html.js";
import type { Entry } from "../../rules/records.js";
import { asSeen, type Verb } from "./acts.js";

/** How a button looks, and what is known of it beyond its label. */
export interface ActLook {
  /** Whom it is done to, for those who hear a button without its surroundings. */
  readonly of?: string;
  readonly kind?: "quiet" | "primary" | "danger";
  /** Whether it keeps the focus when its piece is replaced. Rows are never replaced. */
  readonly stays?: boolean;
}

/** A button that says by its name what to do, and by its value to which queue, or to whom as they are shown. */
export function actButton(
  verb: Verb,
  about: string | Pick<Entry, "id" | "revision">,
  label: string,
  look: ActLook = {},
): Html {
  const [id, value] = typeof about === "string" ? [about, about] : [about.id, asSeen(about)];
  const { of, kind, stays } = look;
  const attributes = html`${stays === true && html` id="${verb}-${id}"`}${
    kind !== undefined && html` class="${kind}"`
  }${of !== undefined && html` aria-label="${label} ${of}"`}`;
  return html`<button name="${verb}" value="${value}"${attributes}>${label}</button>`;
}
