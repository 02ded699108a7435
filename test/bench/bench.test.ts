import { expect, test } from "vitest";
import { type Comparison, compare, type Side } from "./compare.js";
import { type Contest, contestReport, milliseconds, perSecond, report } from "./report.js";
import { median, spread } from "./table.js";

const row = { name: "entry", measured: "ours", against: "theirs", goal: 0.8 };

/** A side that answers these numbers of requests in its turns. The first turn is the warm-up. */
function side(name: string, answers: number[], turns: string[], generatorBusy = 0.5): Side {
  return {
    run: async (milliseconds) => {
      turns.push(name);
      return { answers: answers.shift() ?? 0, milliseconds, generatorBusy };
    },
  };
}

test("both sides warm up, and then work in turn", async () => {
  const turns: string[] = [];
  const sides = { ours: side("A", [], turns), theirs: side("B", [1, 1, 1], turns) };
  await compare(row, sides, { rounds: 2, seconds: 1 }, () => {});
  expect(turns.join("")).toBe("AB" + "AB" + "AB");
});

test("each round has its own ratio, and the warm-up is not counted", async () => {
  const ours = side("A", [1, 100, 90, 80], []);
  const theirs = side("B", [1000, 100, 100, 160], []);
  const { ratio, oursPerSecond, theirsPerSecond } = await compare(
    row,
    { ours, theirs },
    { rounds: 3, seconds: 2 },
    () => {},
  );
  expect(ratio).toEqual({ median: 0.9, least: 0.5, most: 1 });
  expect([oursPerSecond, theirsPerSecond]).toEqual([45, 50]);
});

test("each round is reported with the responses per second of both sides", async () => {
  const reported: number[][] = [];
  const sides = { ours: side("A", [0, 10, 30], []), theirs: side("B", [0, 20, 40], []) };
  await compare(row, sides, { rounds: 2, seconds: 0.5 }, (...round) => reported.push(round));
  expect(reported).toEqual([
    [1, 20, 40],
    [2, 60, 80],
  ]);
});

test("the result has the highest load of a load generator", async () => {
  const sides = { ours: side("A", [1, 1], [], 0.4), theirs: side("B", [1, 1], [], 0.95) };
  const { generatorBusy } = await compare(row, sides, { rounds: 1, seconds: 1 }, () => {});
  expect(generatorBusy).toBe(0.95);
});

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

test("the median is the middle value, in any order of the values", () => {
  expect(median([3, 100, 1])).toBe(3);
});

test("the median of an even number of values is the mean of the two in the middle", () => {
  expect(median([4, 1, 2, 100])).toBe(3);
});

test("values are sorted as numbers, and the given list does not change", () => {
  const values = [10, 9, 100];
  expect(median(values)).toBe(10);
  expect(values).toEqual([10, 9, 100]);
});

test("the median of an empty list is a RangeError", () => {
  expect(() => median([])).toThrow(RangeError);
});

test("the spread has the median, the least and the greatest value", () => {
  expect(spread([0.9, 0.7, 0.8])).toEqual({ median: 0.8, least: 0.7, most: 0.9 });
});

const faster: Contest = {
  measured: "reads",
  against: "fetch",
  goal: { least: 1 },
  ours: [2000, 3000, 1000],
  theirs: [1000, 1000, 1000],
  shown: perSecond,
};

test("a line shows the goal, the ratio of each round with its spread, and both figures", () => {
  const slower = { ...faster, goal: { most: 1.1 }, shown: milliseconds };
  expect(contestReport([faster, slower]).split("\n")).toEqual([
    "measured  against    goal  ratio     spread        ours      theirs",
    "reads     fetch    ≥ 1.00   2.00  1.00–3.00     2,000/s     1,000/s  ✓ met",
    "reads     fetch    ≤ 1.10   2.00  1.00–3.00  2000.00 ms  1000.00 ms  ✗ MISSED",
  ]);
});
