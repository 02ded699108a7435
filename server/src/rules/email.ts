/** The longest address that mail can be sent to. */
const mostCharacters = 254;

/** One `@` between two parts without spaces. Only a message could verify that the address exists. */
const emailForm = /^[^\s@]+@[^\s@]+\.[^\s@]+$/u;

/**
 * An e-mail address in the one form in which it is kept and compared: without spaces around it, in
 * small letters. Null for what is no address.
 */
export function normalEmail(text: string): string | null {
  const email = text.trim().normalize("NFC").toLowerCase();
  return email.length <= mostCharacters && emailForm.test(email) ? email : null;
}
