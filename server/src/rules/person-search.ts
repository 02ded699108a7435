import type { Entry } from "./records.js";
import { tokenLabel } from "./token.js";
import { tokensBeforeTransfers } from "./transitions.js";

/** The minimum number of digits that match a phone number. Most numbers contain any two digits. */
const minDigits = 3;

/** Numbers that agree in so many last digits are the same: one of them may lack its country code. */
const lastDigits = 8;

type CustomerFields = Pick<Entry, "customerName" | "customerPhone">;

/**
 * Matches customers against a search text: all words of a name regardless of case and accents, or consecutive digits
 * of a phone number. Null if the text is empty.
 */
export function customerMatcher(typed: string): ((customer: CustomerFields) => boolean) | null {
  const words = plain(typed).split(/\s/).filter(Boolean);
  if (words.length === 0) return null;
  const digits = digitsOf(typed);
  return ({ customerName, customerPhone }) => {
    if (digits.length >= minDigits && customerPhone?.includes(digits)) return true;
    if (digits.length >= lastDigits && customerPhone?.endsWith(digits.slice(-lastDigits))) {
      return true;
    }
    const name = plain(customerName ?? "");
    return words.every((word) => name.includes(word));
  };
}

/**
 * Matches entries like {@link customerMatcher}, and also by the start of their token or by its number. Who was transferred is
 * also found by an earlier token, which their paper shows.
 */
export function personMatcher(typed: string): ((entry: Entry) => boolean) | null {
  const matches = customerMatcher(typed);
  if (matches === null) return null;
  const token = plain(typed).replaceAll(/\s/g, "");
  const digits = digitsOf(typed);
  return (entry) =>
    matches(entry) ||
    [entry, ...tokensBeforeTransfers(entry)].some(
      (held) => plain(tokenLabel(held)).startsWith(token) || digits === String(held.tokenNumber),
    );
}

/** The digits of what can be a number; else none. */
function digitsOf(typed: string): string {
  return /^[+0-9 ()-]+$/.test(typed) ? typed.replace(/\D/g, "") : "";
}

/** Text in lower case, without accents. */
function plain(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
