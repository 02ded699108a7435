import { expect, test } from "vitest";
import { race, type Side } from "./compare.js";
import { type Contest, limited, milliseconds, perSecond, report } from "./report.js";
import type { Stage } from "./stage.js";
import { median, spread } from "./table.js";

/** A side that answers these numbers of requests in its turns. The first turn is the warm-up. */
function side(name: string, answers: number[], turns: string[] = [], generatorBusy = 0.5): Side {
  return {
    run: async (milliseconds) => {
      turns.push(name);
      return { answers: answers.shift() ?? 0, milliseconds, generatorBusy };
    },
  };
}

/** What a race of two sides finds, and the progress that it reports. */
async function raced(ours: Side, theirs: Side, effort: { rounds: number; seconds: number }) {
  const row = { name: "entry", measured: "GET entry", against: "a bare route", goal: 0.8 };
  const progress: string[] = [];
  const { measure } = race({ ...row, sides: async () => ({ ours, theirs }) });
  const [contest] = await measure({} as Stage, effort, (text) => progress.push(text));
  if (!contest) throw new Error("a race is a contest");
  return { contest, progress };
}

test("both sides warm up, and then work in turn", async () => {
  const turns: string[] = [];
  await raced(side("A", [], turns), side("B", [1, 1, 1], turns), { rounds: 2, seconds: 1 });
  expect(turns.join("")).toBe("AB" + "AB" + "AB");
});

test("each round has its own speeds, which are reported, and the warm-up is not counted", async () => {
  const ours = side("A", [1, 100, 90, 80]);
  const theirs = side("B", [1000, 100, 100, 160]);
  const { contest, progress } = await raced(ours, theirs, { rounds: 3, seconds: 2 });
  expect(contest).toMatchObject({ ours: [50, 45, 40], theirs: [50, 50, 80], goal: { least: 0.8 } });
  expect(progress).toEqual([
    "round 1 of 3: ours 50/s, theirs 50/s",
    "round 2 of 3: ours 45/s, theirs 50/s",
    "round 3 of 3: ours 40/s, theirs 80/s",
  ]);
});

test("a load generator that may have been the limit is named below the table", async () => {
  const effort = { rounds: 1, seconds: 1 };
  const idle = await raced(side("A", [1, 1], [], 0.4), side("B", [1, 1], [], 0.9), effort);
  const busy = await raced(side("A", [1, 1], [], 0.4), side("B", [1, 1], [], 0.97), effort);
  expect(report([idle.contest, busy.contest]).split("\n").slice(3)).toEqual([
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

test("a line shows the goal, the ratio of each round with its spread, both figures, and whether the goal is met", () => {
  const slower = { ...faster, goal: { most: 1.1 }, shown: milliseconds };
  const reported = { ...faster, goal: null };
  const startup = limited("start", [50, 70, 60], 60, milliseconds);
  expect(report([faster, slower, reported, startup]).split("\n")).toEqual([
    "measured  against      goal  ratio     spread        ours      theirs",
    "reads     fetch      ≥ 1.00   2.00  1.00–3.00     2,000/s     1,000/s  ✓ met",
    "reads     fetch      ≤ 1.10   2.00  1.00–3.00  2000.00 ms  1000.00 ms  ✗ MISSED",
    "reads     fetch               2.00  1.00–3.00     2,000/s     1,000/s",
    "start     the limit  ≤ 1.00   1.00  0.83–1.17    60.00 ms    60.00 ms  ✓ met",
  ]);
});
