import { limits } from "@queue-api/contract";
import { describe, expect, test } from "vitest";
import {
  type AdmissionFacts,
  type Attempt,
  decideAdmission,
  signInReport,
} from "../../server/src/rules/admission.ts";
import { attempt, clinic, failedAttempt, kiosk } from "../store/support/records.js";

const now = 1_000_000_000;
const counted = (count: number, startedAt = now) => ({ startedAt, count });
const facts: AdmissionFacts = {
  key: kiosk, // 5 requests and 2 writes a minute
  business: clinic,
  signIns: null,
  requests: null,
  writes: null,
};
const write = attempt({ write: true });
const elsewhere = { ...kiosk, allowIps: ["198.51.100.1"] };
const off = { ...clinic, apiAccess: false };
const lastTry = counted(limits.failedSignIns - 1);
const barred = counted(limits.failedSignIns);
const ended = counted(5, now - 60_000);

describe("an admission", () => {
  test.each<[string, Attempt, Partial<AdmissionFacts>, string]>([
    ["of a known key", attempt(), {}, "admitted"],
    ["of no credentials", attempt({ credentials: null }), {}, "unauthorized"],
    ["of a wrong secret", failedAttempt(), {}, "unauthorized"],
    ["of an unknown key", attempt(), { key: null }, "unauthorized"],
    ["of a key whose business is gone", attempt(), { business: null }, "unauthorized"],
    ["of a revoked key", attempt(), { key: { ...kiosk, revokedAt: 1 } }, "unauthorized"],
    ["of an expired key", attempt(), { key: { ...kiosk, expiresAt: now } }, "unauthorized"],
    ["of a barred subject", attempt(), { signIns: barred }, "barred"],
    ["of a subject with one try left", attempt(), { signIns: lastTry }, "admitted"],
    ["when access is off", attempt(), { business: off }, "access_disabled"],
    ["from another address", attempt(), { key: elsewhere }, "ip_not_allowed"],
    ["of the last request", attempt(), { requests: counted(4) }, "admitted"],
    ["of one request too many", attempt(), { requests: counted(5) }, "rate_limited"],
    ["of a request after a full window", attempt(), { requests: ended }, "admitted"],
    ["of the last write", write, { writes: counted(1) }, "admitted"],
    ["of one write too many", write, { writes: counted(2) }, "rate_limited"],
    ["of a read after the last write", attempt(), { writes: counted(2) }, "admitted"],
  ])("%s", (_, given, changes, outcome) => {
    expect(decideAdmission(given, { ...facts, ...changes }, now).admission.outcome).toBe(outcome);
  });

  test("checks in this order, and charges the windows of a key only if all checks pass", () => {
    const all = { key: elsewhere, business: off, requests: counted(5), signIns: barred };
    const decide = (changes: Partial<AdmissionFacts>, given = attempt()) => {
      const known = { ...facts, ...all, ...changes };
      const { admission, ...charged } = decideAdmission(given, known, now);
      return [admission.outcome, charged];
    };
    expect(decide({}, failedAttempt())).toEqual(["barred", {}]);
    expect(decide({ signIns: null }, failedAttempt())).toEqual([
      "unauthorized",
      { signIns: counted(1) },
    ]);
    expect(decide({ signIns: null })).toEqual(["access_disabled", {}]);
    expect(decide({ signIns: null, business: clinic })).toEqual(["ip_not_allowed", {}]);
    expect(decide({ signIns: null, business: clinic, key: kiosk })).toEqual(["rate_limited", {}]);
  });

  test("charges a read to the requests, and a write also to the writes", () => {
    const before = { ...facts, requests: counted(2), writes: counted(1) };
    expect(decideAdmission(attempt(), before, now)).toMatchObject({ requests: counted(3) });
    expect(decideAdmission(attempt(), before, now)).not.toHaveProperty("writes");
    expect(decideAdmission(write, before, now)).toMatchObject({
      requests: counted(3),
      writes: counted(2),
    });
  });

  test("reports the window after the charge: of a write, the one with fewer left", () => {
    const before = { ...facts, requests: counted(1), writes: counted(1) };
    const requests = { name: "requests", limit: 5, seconds: 60 };
    const writes = { name: "writes", limit: 2, seconds: 60 };
    const read = decideAdmission(attempt(), before, now).admission;
    expect(read).toEqual({
      outcome: "admitted",
      window: { limit: 5, remaining: 3, resetSeconds: 60, policy: [requests, writes] },
      key: kiosk,
      business: clinic,
      now,
    });
    expect(decideAdmission(write, before, now).admission.window).toEqual({
      limit: 2,
      remaining: 0,
      resetSeconds: 60,
      policy: [writes, requests],
    });
  });

  test("reports the window of failed sign-ins of a caller without a key", () => {
    const { failedSignIns: limit, failedSignInWindowSeconds: seconds } = limits;
    const report = (remaining: number) => ({
      limit,
      remaining,
      resetSeconds: seconds,
      policy: [{ name: "sign-ins", limit, seconds }],
    });
    expect(signInReport(null, now)).toEqual(report(limit));
    expect(signInReport(counted(1), now)).toEqual(report(limit - 1));
    expect(signInReport(counted(1, now - seconds * 1_000), now)).toEqual(report(limit));
    expect(decideAdmission(failedAttempt(), facts, now).admission.window).toEqual(
      report(limit - 1),
    );
  });
});
