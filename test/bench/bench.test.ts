import { expect, test } from "vitest";
import {
  type Contest,
  milliseconds,
  perSecond,
  type Race,
  race,
  report,
  type Side,
} from "./compare.js";
import type { Stage } from "./stage.js";
import { median, spread } from "./table.js";

/** A side that answers these numbers of requests in its turns. The first turn is the warm-up. */
function side(name: string, answers: number[], turns: string[] = []): Side {
  return async (milliseconds, round) => {
    turns.push(`${name}${round}`);
    return { answers: answers.shift() ?? 0, milliseconds, busy: 0.5 };
  };
}

/** What a race finds, and the progress that it reports. */
async function raced(sides: Awaited<ReturnType<Race["sides"]>>, rounds: number, seconds = 1) {
  const progress: string[] = [];
  const { measure } = race({ name: "entry", measured: "GET entry", sides: async () => sides });
  const contests = await measure({} as Stage, { rounds, seconds }, (text) => progress.push(text));
  return { contests, progress };
}

test("all sides warm up, and then work in turn; a rate stands still", async () => {
  const turns: string[] = [];
  const rivals = [
    { against: "a peer", least: 1, side: side("B", [1, 1, 1], turns) },
    { against: "a rate", least: 1, side: 600 },
  ];
  const { contests } = await raced({ ours: side("A", [], turns), rivals }, 2);
  expect(turns).toEqual(["A0", "B0", "A1", "B1", "A2", "B2"]);
  expect(contests.map(({ theirs }) => theirs)).toEqual([
    [1, 1],
    [600, 600],
  ]);
});

test("each round has its own speeds, which are reported, and the warm-up is not counted", async () => {
  const rivals = [{ against: "a peer", least: 0.8, side: side("B", [1000, 100, 160]) }];
  const { contests, progress } = await raced({ ours: side("A", [1, 100, 80]), rivals }, 2, 2);
  expect(contests).toMatchObject([{ ours: [50, 40], theirs: [50, 80], goal: { least: 0.8 } }]);
  expect(progress).toEqual(["round 1 of 2: 50/s, 50/s", "round 2 of 2: 40/s, 80/s"]);
});

test("the median is the middle value or the mean of two, of values in any order, which stay as they are", () => {
  const values = [10, 9, 100];
  expect(median(values)).toBe(10);
  expect(values).toEqual([10, 9, 100]);
  expect(median([4, 1, 2, 100])).toBe(3);
  expect(() => median([])).toThrow(RangeError);
  expect(spread([0.9, 0.7, 0.8])).toEqual({ median: 0.8, least: 0.7, most: 0.9 });
});

test("a line shows the goal, the ratio of each round with its spread, both figures, and whether the goal is met", () => {
  const faster: Contest = {
    measured: "reads",
    against: "fetch",
    goal: { least: 1 },
    shown: perSecond,
    ours: [2000, 3000, 1000],
    theirs: [1000, 1000, 1000],
  };
  const slower = { ...faster, goal: { most: 1.1 }, shown: milliseconds };
  expect(report([faster, slower, { ...faster, goal: null }]).split("\n")).toEqual([
    "measured  against    goal  ratio     spread        ours      theirs",
    "reads     fetch    ≥ 1.00   2.00  1.00–3.00     2,000/s     1,000/s  ✓ met",
    "reads     fetch    ≤ 1.10   2.00  1.00–3.00  2000.00 ms  1000.00 ms  ✗ MISSED",
    "reads     fetch             2.00  1.00–3.00     2,000/s     1,000/s",
  ]);
});
