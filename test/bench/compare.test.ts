import { expect, test } from "vitest";
import { compare } from "./compare.js";
import type { Side } from "./row.js";

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
