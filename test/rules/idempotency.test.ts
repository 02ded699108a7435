import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decideClaim, fingerprint, leaseSeconds } from "../../server/src/rules/idempotency.ts";
import type { IdempotencyRecord } from "../../server/src/rules/records.ts";

const request = { key: "the-same-key", fingerprint: "print", owner: "second" };
const lease = leaseSeconds * 1000;
const day = 24 * 3_600_000;
const running: IdempotencyRecord = {
  key: "the-same-key",
  fingerprint: "print",
  claimId: "first",
  owner: "first",
  leaseUntil: 1000 + lease,
  receipt: null,
  keptUntil: 1000 + day,
};
const receipt = '{"data":{"id":"x"}}';
const finished: IdempotencyRecord = { ...running, receipt };

describe("a claim of an idempotency key", () => {
  test("holds a free key for 30 seconds", () => {
    const { outcome, record } = decideClaim(request, null, 1000);
    expect(outcome).toEqual({
      outcome: "claimed",
      claim: { key: "the-same-key", claimId: "second", owner: "second" },
      takenOver: false,
    });
    expect(record).toMatchObject({ leaseUntil: 31_000, keptUntil: 1000 + day, receipt: null });
  });

  test("gets a replay for 24 hours after the key is finished", () => {
    expect(decideClaim(request, finished, 1000 + day - 1)).toEqual({
      outcome: { outcome: "replay", receipt },
    });
    expect(decideClaim(request, finished, 1000 + day).outcome).toMatchObject({
      outcome: "claimed",
      takenOver: false,
    });
  });

  test.each([
    ["running", running],
    ["finished", finished],
  ])("is refused for a different request while the key is known: %s", (_, found) => {
    const other = { ...request, fingerprint: "another" };
    expect(decideClaim(other, found, 2000)).toEqual({ outcome: { outcome: "reused" } });
    expect(decideClaim(other, found, 1000 + day).outcome.outcome).toBe("claimed");
  });

  test("gets the time to retry while the lease of another claim runs", () => {
    const retryAfter = (now: number) => decideClaim(request, running, now).outcome;
    expect(retryAfter(1000)).toEqual({ outcome: "in_progress", retryAfterSeconds: 30 });
    expect(retryAfter(1001)).toEqual({ outcome: "in_progress", retryAfterSeconds: 30 });
    expect(retryAfter(30_999)).toEqual({ outcome: "in_progress", retryAfterSeconds: 1 });
  });

  test("takes over after the lease ends, with the claim id of the first request", () => {
    const { outcome, record } = decideClaim(request, running, 1000 + lease);
    expect(outcome).toEqual({
      outcome: "claimed",
      claim: { key: "the-same-key", claimId: "first", owner: "second" },
      takenOver: true,
    });
    expect(record).toMatchObject({ claimId: "first", owner: "second" });
  });

  test("takes over when the lease ends more than 30 seconds ahead, because the clock was set back", () => {
    const endsAt = (leaseUntil: number) =>
      decideClaim(request, { ...running, leaseUntil }, 1000).outcome;
    expect(endsAt(1000 + lease + 10_000)).toMatchObject({ outcome: "in_progress" });
    expect(endsAt(1000 + lease + 10_001)).toMatchObject({ takenOver: true });
  });
});

describe("the fingerprint of a request", () => {
  const route = ["POST", "/v1/queues/:queueId/entries"] as const;
  const of = (params: Record<string, string>, body: unknown) => fingerprint(...route, params, body);

  test("does not depend on the order of fields", () => {
    expect(of({ queueId: "q" }, { a: 1, b: { c: 2, d: 3 } })).toBe(
      of({ queueId: "q" }, { b: { d: 3, c: 2 }, a: 1 }),
    );
  });

  test("differs by method, route, path parameter and body", () => {
    const prints = [
      of({ queueId: "q" }, { name: "A" }),
      of({ queueId: "r" }, { name: "A" }),
      of({ queueId: "q" }, { name: "B" }),
      of({ queueId: "q" }, { name: "A", x: undefined, phone: null }),
      of({ queueId: "q" }, undefined),
      fingerprint("PUT", route[1], { queueId: "q" }, { name: "A" }),
      fingerprint("POST", "/v2", { queueId: "q" }, { name: "A" }),
    ];
    expect(new Set(prints).size).toBe(prints.length);
  });

  test("is the same for the same JSON and differs for different JSON", () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(of({}, structuredClone(a))).toBe(of({}, a));
        expect(of({}, a) === of({}, b)).toBe(sorted(a) === sorted(b));
      }),
    );
  });
});

/** JSON with sorted fields, written independently of the rule. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? { fields: Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)) }
      : part,
  );
}
