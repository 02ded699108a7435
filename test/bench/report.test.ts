import { expect, test } from "vitest";
import type { Comparison } from "./compare.js";
import { report } from "./report.js";

const met: Comparison = {
  row: { name: "entry", measured: "GET entry", against: "a bare route", goal: 0.8 },
  ratio: { median: 0.8, least: 0.756, most: 1.1 },
  oursPerSecond: 8000.4,
  theirsPerSecond: 10_000,
  generatorBusy: 0.5,
};
const missed: Comparison = {
  row: { name: "list", measured: "list of 50", against: "the same", goal: 1 },
  ratio: { median: 0.99, least: 0.9, most: 1.02 },
  oursPerSecond: 990,
  theirsPerSecond: 1000,
  generatorBusy: 0.5,
};

test("the table shows goal, ratio, spread and requests per second, and marks goals as met or missed", () => {
  expect(report([met, missed]).split("\n")).toEqual([
    "measured    against         goal  ratio     spread  ours/s  theirs/s",
    "GET entry   a bare route  ≥ 0.80   0.80  0.76–1.10   8,000    10,000  ✓ met",
    "list of 50  the same      ≥ 1.00   0.99  0.90–1.02     990     1,000  ✗ MISSED",
  ]);
});

test("rows whose load generator may have been the limit are named below the table", () => {
  const lines = report([{ ...met, generatorBusy: 0.97 }, missed]).split("\n");
  expect(lines.slice(3)).toEqual([
    "entry: the load generator was busy 97 % of the time and may be the limit.",
  ]);
});
