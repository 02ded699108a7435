import type { PasswordLink } from "./records.js";

/** How long a link may lie in a mailbox. */
const linkHours = 24;

/** A link that can be used from now on, once. */
export function newPasswordLink(ownerId: string, tokenHash: string, now: number): PasswordLink {
  return { tokenHash, ownerId, expiresAt: now + linkHours * 3_600_000 };
}

/** Whether a link has not expired. A link that was used no longer exists. */
export function isUsable({ expiresAt }: Pick<PasswordLink, "expiresAt">, now: number): boolean {
  return now < expiresAt;
}
