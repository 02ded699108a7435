import { createHmac, timingSafeEqual } from "node:crypto";
import { newSecret } from "./key.js";
import type { Random } from "./ports.js";

/*
 * A browser in which an owner has signed in can prove it afterwards by a token for which nothing is kept:
 * a random name, and the HMAC of that name under the hash of the owner's password, which leaves the
 * database nowhere else. So a token is good for one owner, and for as long as they have that password.
 */

const tokenForm = /^([a-zA-Z0-9]{43})\.([0-9a-f]{64})$/;

/** A token for a browser in which the owner with this password hash has just signed in. */
export function newBrowserToken(random: Random, passwordHash: string): string {
  const name = newSecret(random);
  return `${name}.${proof(name, passwordHash).toString("hex")}`;
}

/** The name of the browser that a token is for; null for a token that was not made with this password hash. */
export function browserOf(token: string, passwordHash: string): string | null {
  const [, name = "", given = ""] = tokenForm.exec(token) ?? [];
  if (name === "") return null;
  const isGenuine = timingSafeEqual(Buffer.from(given, "hex"), proof(name, passwordHash));
  return isGenuine ? name : null;
}

function proof(name: string, passwordHash: string): Buffer {
  return createHmac("sha256", passwordHash).update(`browser ${name}`).digest();
}
