import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  charged,
  currentWindow,
  isBelowLimit,
  report,
  tightest,
} from "../../server/src/rules/window.ts";

const minute = { name: "requests", limit: 3, seconds: 60 };

describe("a fixed window", () => {
  test("ends when the clock is set back, but not when events are slightly out of order", () => {
    const window = { startedAt: 50_000, count: 2 };
    expect(currentWindow(window, 60, 49_999)).toBe(window);
    expect(currentWindow(window, 60, 40_000)).toBe(window);
    expect(currentWindow(window, 60, 39_999)).toEqual({ startedAt: 39_999, count: 0 });
  });

  test("counts its events up to the limit, and begins again at its end", () => {
    const begun = currentWindow(null, 60, 50_000);
    expect(begun).toEqual({ startedAt: 50_000, count: 0 });
    const [one, two, three] = [1, 2, 3].map((count) => ({ startedAt: 50_000, count }));
    expect(charged(begun)).toEqual(one);
    expect([begun, one, two].every((window) => window && isBelowLimit(window, minute))).toBe(true);
    expect(three && isBelowLimit(three, minute)).toBe(false);
    expect(currentWindow(three ?? null, 60, 109_999)).toBe(three);
    expect(currentWindow(three ?? null, 60, 110_000)).toEqual({ startedAt: 110_000, count: 0 });
  });
});

describe("the rate limit headers", () => {
  test("round seconds up, to at least 1", () => {
    const at = (now: number) => report({ startedAt: 0, count: 1 }, minute, now).resetSeconds;
    expect([at(-1), at(0), at(1), at(1000), at(59_000), at(59_001), at(59_999)]).toEqual([
      60, 60, 60, 59, 1, 1, 1,
    ]);
  });

  test("never have a remaining count below zero", () => {
    expect(report({ startedAt: 0, count: 9 }, minute, 0).remaining).toBe(0);
  });

  test("a retry after Retry-After always starts a new window", () => {
    fc.assert(
      fc.property(fc.nat(59_999), fc.nat(3), (elapsed, count) => {
        const window = { startedAt: 1_000_000, count };
        const now = window.startedAt + elapsed;
        const { resetSeconds } = report(window, minute, now);
        const later = now + resetSeconds * 1000;
        expect(currentWindow(window, 60, later).count).toBe(0);
        expect(resetSeconds).toBeLessThanOrEqual(60);
      }),
    );
  });

  test("report the window with fewer requests left, or else the one that resets later", () => {
    const a = { limit: 120, remaining: 5, resetSeconds: 10, policy: [] };
    const b = { limit: 30, remaining: 4, resetSeconds: 5, policy: [] };
    const c = { limit: 30, remaining: 5, resetSeconds: 30, policy: [] };
    expect(tightest(a, b)).toBe(b);
    expect(tightest(b, a)).toBe(b);
    expect(tightest(a, c)).toBe(c);
    expect(tightest(c, a)).toBe(c);
  });
});
