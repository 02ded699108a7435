import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decideKeyed, entryKey, fingerprint } from "../../server/src/rules/idempotency.ts";

const request = { key: "the-same-key", fingerprint: "print" };
const day = 24 * 3_600_000;
const receipt = '{"data":{"id":"x"}}';
const held = entryKey(request, receipt, 1000);

describe("a request with an idempotency key", () => {
  test("is decided by its content while the key is free", () => {
    expect(decideKeyed(request, null, 1000)).toBeNull();
  });

  test("gets a replay for 24 hours after the key was used", () => {
    expect(held).toEqual({ ...request, receipt, keptUntil: 1000 + day });
    expect(decideKeyed(request, held, 1000 + day - 1)).toEqual({ outcome: "replay", receipt });
    expect(decideKeyed(request, held, 1000 + day)).toBeNull();
  });

  test("is refused if another request used the key, for 24 hours", () => {
    const other = { ...request, fingerprint: "another" };
    expect(decideKeyed(other, held, 2000)).toEqual({ outcome: "reused" });
    expect(decideKeyed(other, held, 1000 + day)).toBeNull();
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
