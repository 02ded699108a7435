import { type Html, html } from "../../lib/html.js";
import type { Entry } from "../../rules/records.js";
import { asSeen, type Verb } from "./acts.js";

/** The look of a button, and its properties beyond the label. */
export interface ActLook {
  /** The person that it acts on, for screen readers, which read a button without its context. */
  readonly of?: string;
  readonly kind?: "quiet" | "primary" | "danger";
  /** Whether it keeps the focus when its piece is replaced. Rows are never replaced. */
  readonly stays?: boolean;
}

/** A button whose name is the act and whose value is its target: a queue, or an entry at a revision. */
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
