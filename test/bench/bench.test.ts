import { expect, test } from "vitest";
import { compare, type Rival, type Side, table } from "./compare.js";
import type { Stage } from "./stage.js";

const turns: string[] = [];

/** A side with these figures in its turns. The first turn is the warm-up. */
function side(name: string, figures: number[]): Side {
  return async (milliseconds, round) => {
    turns.push(`${name} ${round} ${milliseconds}`);
    return figures.shift() ?? 0;
  };
}

const rowOf = (ours: Side, rivals: readonly Rival[]) => ({
  name: "reads",
  measured: "reads",
  shown: String,
  sides: async () => ({ ours, rivals }),
});

test("sides work in turn, and a line has the median of the ratios after the warm-up, with its spread and goal", async () => {
  const rivals = [
    { against: "a peer", min: 1, side: side("B", [1, 1000, 1000, 1000, 1000]) },
    { against: "a slow peer", max: 1.1, side: side("C", [1, 1000, 1000, 1000, 1000]) },
    { against: "itself", side: side("D", [9, 2000, 3000, 1000, 4000]) },
  ];
  const ours = side("A", [9000, 2000, 3000, 1000, 4000]);
  const progress: string[] = [];
  const effort = { rounds: 4, seconds: 2 };
  const lines = await compare(rowOf(ours, rivals), {} as Stage, effort, (text) =>
    progress.push(text),
  );
  expect(turns.slice(0, 5)).toEqual(["A 0 2000", "B 0 2000", "C 0 2000", "D 0 2000", "A 1 2000"]);
  expect(progress[0]).toBe("round 1 of 4: 2000, 1000, 1000, 2000");
  expect(table(lines).split("\n")).toEqual([
    "measured  against      goal    ratio  spread     ours  theirs",
    "reads     a peer       ≥ 1.00  2.50   1.00–4.00  2500  1000    ✓ met",
    "reads     a slow peer  ≤ 1.10  2.50   1.00–4.00  2500  1000    ✗ MISSED",
    "reads     itself               1.00   1.00–1.00  2500  2500",
  ]);
});
