import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideSignIn, forgiven, signInWindowsOf } from "../../server/src/rules/sign-in.js";
import type { Window } from "../../server/src/rules/window.js";

const now = 1_000_000_000;
const counted = (count: number, startedAt = now): Window => ({ startedAt, count });

describe("an attempt to sign in", () => {
  it("is charged to no window when its address has reached the limit", () => {
    const windows = { address: counted(10, now - 1_000), email: null };
    expect(decideSignIn(windows, now)).toEqual({
      admission: { outcome: "throttled", retryAfterSeconds: 599 },
    });
  });

  it("is charged to its address when its e-mail address has reached the limit", () => {
    const windows = { address: counted(3), email: counted(10, now - 599_999) };
    expect(decideSignIn(windows, now)).toEqual({
      admission: { outcome: "throttled", retryAfterSeconds: 1 },
      address: counted(4),
    });
  });

  it("fails at most ten times in one window, in any order of attempts", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 60 }), (successes) => {
        let windows: { address: Window | null; email: Window | null } = {
          address: null,
          email: null,
        };
        let failed = 0;
        for (const success of successes) {
          const { admission, address, email } = decideSignIn(windows, now);
          windows = { address: address ?? windows.address, email: email ?? windows.email };
          if (admission.outcome !== "admitted") continue;
          if (!success) failed++;
          else if (windows.address && windows.email) {
            windows = {
              address: forgiven(windows.address, now),
              email: forgiven(windows.email, now),
            };
          }
        }
        expect(failed).toBeLessThanOrEqual(10);
        expect(failed).toBe(Math.min(10, successes.filter((success) => !success).length));
      }),
    );
  });
});

describe("the refund of a successful attempt", () => {
  it("is its own charge only", () => {
    expect(forgiven(counted(4, now - 5), now)).toEqual(counted(3, now - 5));
  });

  it("does not change a window that began later, and never goes below zero", () => {
    expect(forgiven(counted(4, now + 1), now)).toEqual(counted(4, now + 1));
    expect(forgiven(counted(0), now)).toEqual(counted(0));
  });
});

describe("the names of the windows", () => {
  it("separate addresses from e-mail addresses and do not contain the typed text", () => {
    const anna = { subject: "203.0.113.7", email: "anna@clinic.example", browser: null };
    const names = signInWindowsOf(anna);
    expect(names.address).toBe("address 203.0.113.7");
    expect(names.email).toMatch(/^email [0-9a-f]{64}$/);
    const other = signInWindowsOf({ ...anna, email: "bert@clinic.example" });
    expect(other.email).not.toBe(names.email);
  });

  it("give a known browser its own window in place of the e-mail window, and no address window", () => {
    const anna = { subject: "203.0.113.7", email: "anna@clinic.example", browser: null };
    const known = signInWindowsOf({ ...anna, browser: "hers" });
    expect(known.address).toBe("address 203.0.113.7");
    expect(known.email).toMatch(/^browser [0-9a-f]{64}$/);
    expect(signInWindowsOf({ ...anna, browser: "another" }).email).not.toBe(known.email);
  });
});
