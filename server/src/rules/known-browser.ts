import { createHmac, timingSafeEqual } from "node:crypto";
import { newSecret } from "./key.js";
import type { Random } from "./ports.js";

/*
 * A token that proves that a person has signed in to an account from a browser before. The service stores nothing for it.
 * It is a random name and the HMAC of that name, keyed with the hash of the account's password, which never
 * leaves the database in any other form. So a token is valid for one account, until the password changes.
 */

const tokenForm = /^([a-zA-Z0-9]{43})\.([0-9a-f]{64})$/;

/** A token for the browser of an account with this password hash, made after a sign-in. */
export function newBrowserToken(random: Random, passwordHash: string): string {
  const name = newSecret(random);
  return `${name}.${proof(name, passwordHash).toString("hex")}`;
}

/** The name of the browser of a token; null if the token was not made with this password hash. */
export function browserOf(token: string, passwordHash: string): string | null {
  const [, name = "", given = ""] = tokenForm.exec(token) ?? [];
  if (name === "") return null;
  const isGenuine = timingSafeEqual(Buffer.from(given, "hex"), proof(name, passwordHash));
  return isGenuine ? name : null;
}

function proof(name: string, passwordHash: string): Buffer {
  return createHmac("sha256", passwordHash).update(`browser ${name}`).digest();
}
