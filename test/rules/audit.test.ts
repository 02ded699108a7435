import { describe, expect, test } from "vitest";
import {
  asSum,
  isAskedFor,
  RefusedRequests,
  statusRange,
  sumName,
  wholeLog,
  withSum,
} from "../../server/src/rules/audit.js";
import { auditRow } from "../store/support/records.js";

describe("the status filter", () => {
  test.each([
    ["404", { first: 404, last: 404 }],
    ["200", { first: 200, last: 200 }],
    ["4xx", { first: 400, last: 499 }],
    ["5XX", { first: 500, last: 599 }],
  ])("%s is a range of statuses", (named, range) => {
    expect(statusRange(named)).toEqual(range);
  });

  test.each([
    ...["", "4", "40", "4x", "x4x", "x4xx", "4xxx", "600", "0xx", "099", "-404", " 404", "٤٠٤"],
  ])("%j is not a status filter", (named) => {
    expect(statusRange(named)).toBeNull();
  });
});

const row = auditRow("entries/one", { at: 1_000, status: 404 });

test.each([
  ["whole log", true, {}],
  ["key", true, { keyId: row.keyId }],
  ["status", true, { status: { first: 404, last: 404 } }],
  ["path prefix", true, { pathPrefix: "/v1/entries" }],
  ["time", true, { from: 1_000, until: 1_001 }],
  ["another key", false, { keyId: "another" }],
  ["a lower status", false, { status: { first: 200, last: 403 } }],
  ["a higher status", false, { status: { first: 405, last: 599 } }],
  ["another path", false, { pathPrefix: "/v1/Entries" }],
  ["the middle of its path", false, { pathPrefix: "entries" }],
  ["a later time", false, { from: 1_001 }],
  ["an earlier time", false, { until: 1_000 }],
])("a row of the audit log matches a filter by %s: %s", (_, matches, filter) => {
  expect(isAskedFor(row, { ...wholeLog, ...filter })).toBe(matches);
});

describe("requests that admission refuses", () => {
  const refused = (at: number, changes: Parameters<typeof auditRow>[1] = {}) =>
    auditRow("me", { at, status: 429, ...changes });
  const alone = (
    count: RefusedRequests,
    rows: readonly ReturnType<typeof auditRow>[],
    limit: number,
  ) => rows.filter((row) => count.isRecordedAlone(row, limit)).length;

  test("have one row each, up to the limit of their key per minute and status", () => {
    const count = new RefusedRequests();
    const rows = Array.from({ length: 20 }, (_, n) => refused(60_000 + n));
    expect(alone(count, rows, 5)).toBe(5);
    expect(alone(count, [refused(119_999), refused(120_000)], 5)).toBe(1);
    expect(alone(count, [refused(60_000, { keyId: "other" }), refused(60_000)], 5)).toBe(1);
    expect(alone(count, [refused(60_000, { status: 403 })], 5)).toBe(1);
  });

  test("are counted for a bounded number of minutes, even when the clock jumps", () => {
    const count = new RefusedRequests();
    for (const minute of [9, 1, 500, 3])
      expect(alone(count, [refused(minute * 60_000)], 1)).toBe(1);
    expect(alone(count, [refused(3 * 60_000)], 1)).toBe(0);
  });

  test("beyond the limit become a sum with the first request's time and the last request's id", () => {
    const rows = [0, 5, 3].map((n) => auditRow(`${n}`, { at: 60_000 + n, status: 429 }));
    const [first, ...more] = rows.map(asSum);
    const sum = more.reduce(withSum, first ?? asSum(refused(0)));
    expect(sum).toEqual({ ...rows[1], at: 60_000, sum: { count: 3, lastAt: 60_005 } });
  });

  test("have one sum per key, status and minute", () => {
    const names = [refused(60_000), refused(119_999), refused(120_000)].map(sumName);
    expect(names[0]).toBe(names[1]);
    expect(names[0]).not.toBe(names[2]);
    expect(sumName(refused(60_000, { status: 403 }))).not.toBe(names[0]);
    expect(sumName(refused(60_000, { keyId: "other" }))).not.toBe(names[0]);
  });
});
