import type { PasswordLink } from "./records.js";

/** How long a link is valid. */
const linkHours = 24;

/** A new link that can be used once. */
export function newPasswordLink(ownerId: string, tokenHash: string, now: number): PasswordLink {
  return { tokenHash, ownerId, expiresAt: now + linkHours * 3_600_000 };
}

/** Whether a link has not expired. A used link is deleted. */
export function isUsable({ expiresAt }: Pick<PasswordLink, "expiresAt">, now: number): boolean {
  return now < expiresAt;
}
