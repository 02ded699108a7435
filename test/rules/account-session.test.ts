import { describe, expect, it } from "vitest";
import { isRunning, newAccountSession } from "../../server/src/rules/account-session.js";
import { isUsable, newPasswordLink } from "../../server/src/rules/password-link.js";
import { account, clinic } from "../store/support/records.js";

const now = 1_000_000_000;
const hour = 3_600_000;

describe("a session", () => {
  it("lasts 12 hours from its start", () => {
    const session = newAccountSession(account("anna"), "hash", now);
    expect(session).toEqual({
      tokenHash: "hash",
      accountId: account("anna").id,
      businessId: clinic.id,
      createdAt: now,
      expiresAt: now + 12 * hour,
    });
    expect(isRunning(session, now + 12 * hour - 1)).toBe(true);
    expect(isRunning(session, now + 12 * hour)).toBe(false);
  });
});

describe("a link to set a password", () => {
  it("can be used for 24 hours", () => {
    const link = newPasswordLink("hash", now);
    expect(link).toEqual({ tokenHash: "hash", expiresAt: now + 24 * hour });
    expect(isUsable(link, now + 24 * hour - 1)).toBe(true);
    expect(isUsable(link, now + 24 * hour)).toBe(false);
  });
});
