import type { Entry } from "./records.js";
import { tokenLabel } from "./token.js";

/** The minimum number of digits that match a phone number. Most numbers contain any two digits. */
const fewestDigits = 3;

/** Numbers that agree in so many last digits are the same: one of them may lack its country code. */
const lastDigits = 8;

/**
 * Matches entries against a search text: the start of a token, all words of a name regardless of case and
 * accents, or consecutive digits of a phone number. Null if the text is empty.
 */
export function personMatcher(typed: string): ((entry: Entry) => boolean) | null {
  const words = plain(typed).split(" ").filter(Boolean);
  if (words.length === 0) return null;
  const token = words.join("").toUpperCase();
  const digits = /^[+0-9 ()-]+$/.test(typed) ? typed.replace(/\D/g, "") : "";
  return (entry) => {
    const { tokenNumber, customerName, customerPhone } = entry;
    if (tokenLabel(entry).startsWith(token)) return true;
    if (digits === String(tokenNumber)) return true;
    if (digits.length >= fewestDigits && customerPhone?.includes(digits)) return true;
    if (digits.length >= lastDigits && customerPhone?.endsWith(digits.slice(-lastDigits))) {
      return true;
    }
    const name = plain(customerName ?? "");
    return words.every((word) => name.includes(word));
  };
}

/** Text in lower case, without accents, with single spaces. */
function plain(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/g, " ").trim();
}
