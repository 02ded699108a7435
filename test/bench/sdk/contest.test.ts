import { expect, test } from "vitest";
import { type Contest, contestReport, milliseconds, perSecond } from "./contest.js";

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
