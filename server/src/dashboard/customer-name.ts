import { type Html, html } from "../lib/html.js";

/** A letter, sign or picture: any character that is visible on the screen. */
const visible = /[^\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

const directionMarks = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/**
 * A customer's name, isolated so that the text direction of its letters, and direction marks in it, do not
 * affect the text around it.
 */
export function customerName(name: string | null): Html {
  return html`<bdi>${name === null ? "No name" : words(name)}</bdi>`;
}

/** The same for the title of a page, which has no markup: the direction marks are removed. Empty if there is no name. */
export function customerNameInTitle(name: string | null): string {
  return name === null ? "" : words(name).replace(directionMarks, "");
}

/**
 * The name from a form whose field showed the stored one. If the field was left alone, this is the stored name exactly: a
 * browser removes the line breaks of a name from its field. `sent`: the field as it was sent. `typed`: the same without the
 * spaces around it; null if nothing is left.
 */
export function nameFromForm(
  sent: unknown,
  typed: string | null,
  stored: string | null,
): string | null {
  return sent === stored?.replaceAll(/[\r\n]/g, "") ? stored : typed;
}

function words(name: string): string {
  return visible.test(name) ? name : "Blank name";
}
