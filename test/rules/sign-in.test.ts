import { describe, expect, it } from "vitest";
import { decideSignIn, forgiven, signInWindowsOf } from "../../server/src/rules/sign-in.js";
import type { Window } from "../../server/src/rules/window.js";

const now = 1_000_000_000;
const counted = (count: number, startedAt = now): Window => ({ startedAt, count });

it("an attempt to sign in is not charged to a window that has reached the limit, and begins one that has ended", () => {
  expect(decideSignIn(counted(10), now).window).toBeNull();
  const admission = { outcome: "admitted", now };
  const ended = counted(10, now - 600_000);
  expect(decideSignIn(ended, now)).toEqual({ admission, window: counted(1) });
});

it("the refund of a successful attempt is its own charge only, does not change a window that began later, and never goes below zero", () => {
  expect(forgiven(counted(4, now - 5), now)).toEqual(counted(3, now - 5));
  expect(forgiven(counted(4, now + 1), now)).toEqual(counted(4, now + 1));
  expect(forgiven(counted(0), now)).toEqual(counted(0));
});

describe("the names of the windows", () => {
  it("separate addresses from e-mail addresses and do not contain the typed text", () => {
    const anna = { subject: "203.0.113.7", email: "anna@clinic.example", browser: null };
    const names = signInWindowsOf(anna);
    expect(names.address).toBe("sign-in address 203.0.113.7");
    expect(names.email).toMatch(/^sign-in email [0-9a-f]{64}$/);
    const other = signInWindowsOf({ ...anna, email: "bert@clinic.example" });
    expect(other.email).not.toBe(names.email);
  });

  it("give a known browser its own window in place of the e-mail window, and no address window", () => {
    const anna = { subject: "203.0.113.7", email: "anna@clinic.example", browser: null };
    const known = signInWindowsOf({ ...anna, browser: "hers" });
    expect(known.address).toBe("sign-in address 203.0.113.7");
    expect(known.email).toMatch(/^sign-in browser [0-9a-f]{64}$/);
    expect(signInWindowsOf({ ...anna, browser: "another" }).email).not.toBe(known.email);
  });
});
