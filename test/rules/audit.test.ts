import { describe, expect, test } from "vitest";
import { isAskedFor, statusRange, wholeLog } from "../../server/src/rules/audit.js";
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
