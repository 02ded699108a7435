import { describe, expect, test } from "vitest";
import { type AdmissionFacts, decideAdmission } from "../../server/src/rules/admission.ts";
import { hashSecret } from "../../server/src/rules/key.ts";
import type { ApiKey, Business } from "../../server/src/rules/records.ts";

const now = 1_000_000;
const business: Business = {
  id: "b".repeat(24),
  slug: "sunrise",
  name: "Sunrise Clinic",
  category: null,
  timezone: null,
  apiAccess: true,
  dailyTokenLimit: null,
  sandbox: false,
  longWaitMinutes: null,
  displayHash: null,
};
const key: ApiKey = {
  id: "a".repeat(24),
  businessId: business.id,
  name: "Kiosk",
  purpose: "owner",
  secretHash: hashSecret("secret"),
  scopes: ["queue:read"],
  allowIps: [],
  requestsPerMinute: 2,
  writesPerMinute: 1,
  createdAt: 0,
  expiresAt: null,
  revokedAt: null,
};
const attempt = {
  address: "203.0.113.7",
  subject: "203.0.113.7",
  credentials: { keyId: key.id, secretHash: key.secretHash },
  write: false,
};
const facts: AdmissionFacts = { key, business, signIns: null, requests: null, writes: null };
const requestLimit = { name: "requests", limit: 2, seconds: 60 };
const writeLimit = { name: "writes", limit: 1, seconds: 60 };
const signInLimit = { name: "sign-ins", limit: 30, seconds: 600 };
const full = (count: number) => ({ startedAt: now, count });

describe("admission", () => {
  test("admits a read and charges only the window of requests", () => {
    const decision = decideAdmission(attempt, facts, now);
    expect(decision).toEqual({
      admission: {
        outcome: "admitted",
        window: {
          limit: 2,
          remaining: 1,
          resetSeconds: 60,
          policy: [requestLimit, writeLimit],
        },
        key,
        business,
        now,
      },
      requests: full(1),
    });
  });

  test("charges a write to both windows and reports the one with fewer requests left", () => {
    const { admission, requests, writes } = decideAdmission(
      { ...attempt, write: true },
      facts,
      now,
    );
    expect(admission).toMatchObject({
      outcome: "admitted",
      window: { limit: 1, remaining: 0, policy: [writeLimit, requestLimit] },
    });
    expect([requests, writes]).toEqual([full(1), full(1)]);
  });

  test.each([
    ["a read past the requests", false, { requests: full(2) }],
    ["a write past the requests", true, { requests: full(2) }],
    ["a write past the writes", true, { writes: full(1) }],
  ])("refuses %s and charges nothing", (_, write, windows) => {
    const decision = decideAdmission({ ...attempt, write }, { ...facts, ...windows }, now);
    expect(decision.admission).toMatchObject({ outcome: "rate_limited", window: { remaining: 0 } });
    expect(Object.keys(decision)).toEqual(["admission"]);
  });

  test("admits a read when the window of writes is full", () => {
    const decision = decideAdmission(attempt, { ...facts, writes: full(1) }, now);
    expect(decision.admission).toMatchObject({
      outcome: "admitted",
      window: { limit: 2, remaining: 1, policy: [requestLimit, writeLimit] },
    });
  });

  test.each([
    ["no key", { ...attempt, credentials: null }, facts],
    ["an unknown key", attempt, { ...facts, key: null, business: null }],
    ["a revoked key", attempt, { ...facts, key: { ...key, revokedAt: 1 } }],
    ["an expired key", attempt, { ...facts, key: { ...key, expiresAt: now } }],
  ])("charges the address for %s", (_, attempt, facts) => {
    const decision = decideAdmission(attempt, facts, now);
    expect(decision).toEqual({
      admission: {
        outcome: "unauthorized",
        window: { limit: 30, remaining: 29, resetSeconds: 600, policy: [signInLimit] },
      },
      signIns: full(1),
    });
  });

  test("does not check the key of a barred address, and charges nothing", () => {
    const decision = decideAdmission(attempt, { ...facts, signIns: full(30) }, now);
    expect(decision).toEqual({
      admission: {
        outcome: "barred",
        window: { limit: 30, remaining: 0, resetSeconds: 600, policy: [signInLimit] },
      },
    });
    const last = decideAdmission(attempt, { ...facts, signIns: full(29) }, now);
    expect(last.admission.outcome).toBe("admitted");
  });

  test("checks API access, then the allowlist, then the windows", () => {
    const outcome = (change: Partial<AdmissionFacts>) =>
      decideAdmission(attempt, { ...facts, requests: full(2), ...change }, now);
    const off = { ...business, apiAccess: false };
    const locked = { ...key, allowIps: ["198.51.100.1"] };
    expect(outcome({ business: off, key: locked }).admission.outcome).toBe("access_disabled");
    expect(outcome({ key: locked }).admission.outcome).toBe("ip_not_allowed");
    expect(outcome({}).admission.outcome).toBe("rate_limited");
    for (const change of [{ business: off }, { key: locked }, {}]) {
      expect(Object.keys(outcome(change))).toEqual(["admission"]);
    }
  });
});
