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

describe("a key that somebody asks for", () => {
  test("is claimed when it is free, for 30 seconds", () => {
    const { outcome, record } = decideClaim(request, null, 1000);
    expect(outcome).toEqual({
      outcome: "claimed",
      claim: { key: "the-same-key", claimId: "second", owner: "second" },
      takenOver: false,
    });
    expect(record).toMatchObject({ leaseUntil: 31_000, keptUntil: 1000 + day, receipt: null });
  });

  test("replays when it is finished, until 24 hours are over", () => {
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
  ])("is refused to another request while it is known: %s", (_, found) => {
    const other = { ...request, fingerprint: "another" };
    expect(decideClaim(other, found, 2000)).toEqual({ outcome: { outcome: "reused" } });
    expect(decideClaim(other, found, 1000 + day).outcome.outcome).toBe("claimed");
  });

  test("says when to come back while its lease runs", () => {
    const retryAfter = (now: number) => decideClaim(request, running, now).outcome;
    expect(retryAfter(1000)).toEqual({ outcome: "in_progress", retryAfterSeconds: 30 });
    expect(retryAfter(1001)).toEqual({ outcome: "in_progress", retryAfterSeconds: 30 });
    expect(retryAfter(30_999)).toEqual({ outcome: "in_progress", retryAfterSeconds: 1 });
  });

  test("is taken over when its lease is over, with the first one's claim id", () => {
    const { outcome, record } = decideClaim(request, running, 1000 + lease);
    expect(outcome).toEqual({
      outcome: "claimed",
      claim: { key: "the-same-key", claimId: "first", owner: "second" },
      takenOver: true,
    });
    expect(record).toMatchObject({ claimId: "first", owner: "second" });
  });

  test("is taken over when its lease ends too late: the clock was set back", () => {
    const endsAt = (leaseUntil: number) =>
      decideClaim(request, { ...running, leaseUntil }, 1000).outcome;
    expect(endsAt(1000 + lease + 10_000)).toMatchObject({ outcome: "in_progress" });
    expect(endsAt(1000 + lease + 10_001)).toMatchObject({ takenOver: true });
  });
});

describe("the fingerprint of a request", () => {
  const route = ["POST", "/v1/queues/:queueId/entries"] as const;
  const of = (params: Record<string, string>, body: unknown) => fingerprint(...route, params, body);

  test("does not know the order of fields", () => {
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

  test("is the same for the same JSON, and differs for different JSON", () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(of({}, structuredClone(a))).toBe(of({}, a));
        expect(of({}, a) === of({}, b)).toBe(sorted(a) === sorted(b));
      }),
    );
  });
});

/** JSON with fields in one order, by another way than the rule's. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? { fields: Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)) }
      : part,
  );
}
