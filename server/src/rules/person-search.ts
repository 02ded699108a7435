import type { Entry } from "./records.js";
import { tokenLabel } from "./token.js";

/** Digits that a phone number must share before it counts: two would be in most numbers. */
const fewestDigits = 3;

/**
 * Whether an entry is like what was typed: a token from its beginning, a name by all of the words in it,
 * whatever their case and accents, or a phone number by digits in a row. Null when nothing was typed.
 */
export function personMatcher(typed: string): ((entry: Entry) => boolean) | null {
  const words = plain(typed).split(" ").filter(Boolean);
  if (words.length === 0) return null;
  const token = words.join("").toUpperCase();
  const digits = /^[+0-9 ()-]+$/.test(typed) ? typed.replace(/\D/g, "") : "";
  return ({ tokenSeries, tokenNumber, customerName, customerPhone }) => {
    if (tokenLabel(tokenSeries, tokenNumber).startsWith(token)) return true;
    if (digits === String(tokenNumber)) return true;
    if (digits.length >= fewestDigits && customerPhone?.includes(digits)) return true;
    const name = plain(customerName ?? "");
    return words.every((word) => name.includes(word));
  };
}

/** Text in small letters without accents, with single spaces. */
function plain(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/g, " ").trim();
}
