import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fingerprint } from "../../server/src/rules/idempotency.ts";

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
