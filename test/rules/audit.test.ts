import { describe, expect, test } from "vitest";
import {
  asSum,
  isAskedFor,
  RefusalCount,
  statusRange,
  sumName,
  wholeLog,
  withSum,
} from "../../server/src/rules/audit.js";
import { auditRow } from "../store/support/records.js";

describe("a status that is asked for", () => {
  test.each([
    ["404", { first: 404, last: 404 }],
    ["200", { first: 200, last: 200 }],
    ["4xx", { first: 400, last: 499 }],
    ["5XX", { first: 500, last: 599 }],
  ])("%s names a range", (named, range) => {
    expect(statusRange(named)).toEqual(range);
  });

  test.each(["", "4", "40", "4x", "x4x", "4xxx", "600", "0xx", "099", "-404", " 404", "٤٠٤"])(
    "%j names none",
    (named) => {
      expect(statusRange(named)).toBeNull();
    },
  );
});

describe("a row of the audit log", () => {
  const row = auditRow("entries/one", { at: 1_000, status: 404 });

  test.each([
    ["whole log", wholeLog],
    ["key", { ...wholeLog, keyId: row.keyId }],
    ["status", { ...wholeLog, status: { first: 404, last: 404 } }],
    ["begin of the path", { ...wholeLog, pathPrefix: "/v1/entries" }],
    ["time", { ...wholeLog, from: 1_000, until: 1_001 }],
  ])("is asked for by its %s", (_, filter) => {
    expect(isAskedFor(row, filter)).toBe(true);
  });

  test.each([
    ["another key", { ...wholeLog, keyId: "another" }],
    ["a lower status", { ...wholeLog, status: { first: 200, last: 403 } }],
    ["a higher status", { ...wholeLog, status: { first: 405, last: 599 } }],
    ["another path", { ...wholeLog, pathPrefix: "/v1/Entries" }],
    ["the middle of its path", { ...wholeLog, pathPrefix: "entries" }],
    ["a later time", { ...wholeLog, from: 1_001 }],
    ["an earlier time", { ...wholeLog, until: 1_000 }],
  ])("is not asked for by %s", (_, filter) => {
    expect(isAskedFor(row, filter)).toBe(false);
  });
});

describe("requests that are refused at the door", () => {
  const refused = (at: number, changes: Parameters<typeof auditRow>[1] = {}) =>
    auditRow("me", { at, status: 429, ...changes });
  const alone = (
    count: RefusalCount,
    rows: readonly ReturnType<typeof auditRow>[],
    limit: number,
  ) => rows.filter((row) => count.isRecordedAlone(row, limit)).length;

  test("are recorded one by one up to the limit of their key, a minute and status", () => {
    const count = new RefusalCount();
    const rows = Array.from({ length: 20 }, (_, n) => refused(60_000 + n));
    expect(alone(count, rows, 5)).toBe(5);
    expect(alone(count, [refused(119_999), refused(120_000)], 5)).toBe(1);
    expect(alone(count, [refused(60_000, { keyId: "other" }), refused(60_000)], 5)).toBe(1);
    expect(alone(count, [refused(60_000, { status: 403 })], 5)).toBe(1);
  });

  test("are counted for a bounded number of minutes, wherever the clock leaps", () => {
    const count = new RefusalCount();
    for (const minute of [9, 1, 500, 3])
      expect(alone(count, [refused(minute * 60_000)], 1)).toBe(1);
    expect(alone(count, [refused(3 * 60_000)], 1)).toBe(0);
  });

  test("are summed with the first one's time and the last one's request", () => {
    const rows = [0, 5, 3].map((n) => auditRow(`${n}`, { at: 60_000 + n, status: 429 }));
    const [first, ...more] = rows.map(asSum);
    const sum = more.reduce(withSum, first ?? asSum(refused(0)));
    expect(sum).toEqual({ ...rows[1], at: 60_000, sum: { count: 3, lastAt: 60_005 } });
  });

  test("have one name a key, status and minute", () => {
    const names = [refused(60_000), refused(119_999), refused(120_000)].map(sumName);
    expect(names[0]).toBe(names[1]);
    expect(names[0]).not.toBe(names[2]);
    expect(sumName(refused(60_000, { status: 403 }))).not.toBe(names[0]);
    expect(sumName(refused(60_000, { keyId: "other" }))).not.toBe(names[0]);
  });
});
