import { isAlive } from "./lifetime.js";
import type { Account, PasswordLink } from "./records.js";

/** How long a link is valid, in milliseconds. */
const linkMs = 24 * 3_600_000;

/** A new link that can be used once. */
export function newPasswordLink(tokenHash: string, now: number): PasswordLink {
  return { tokenHash, expiresAt: now + linkMs };
}

/** What lets a person set the password of an account: the hash of the previous one, or of the token of their link. */
export type PasswordProof = { readonly passwordHash: string } | { readonly linkTokenHash: string };

/** Whether the proof is valid. A link is valid until it expires, or a password is set, which deletes it. */
export function acceptsProof({ passwordHash, link }: Account, proof: PasswordProof, now: number) {
  if ("passwordHash" in proof) return proof.passwordHash === passwordHash;
  return proof.linkTokenHash === link?.tokenHash && isAlive(link.expiresAt, now, linkMs);
}

/** An account with a new password. It uses up its link, and ends its sessions. */
export function withPassword(account: Account, passwordHash: string): Account {
  return { ...account, passwordHash, link: null, generation: account.generation + 1 };
}
