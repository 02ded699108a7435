/** The maximum length of an e-mail address. */
const maxEmailLength = 254;

/** One `@` between two parts without spaces or control characters. Only a message can verify that the address exists. */
const emailForm = /^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+\.[^\s\p{Cc}@]+$/u;

/**
 * An e-mail address in normal form, which is stored and compared: trimmed and in lower case. Null for a text
 * that is not an address.
 */
export function normalEmail(text: string): string | null {
  const email = text.trim().normalize("NFC").toLowerCase();
  return email.length <= maxEmailLength && emailForm.test(email) ? email : null;
}
