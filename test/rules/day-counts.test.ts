import { describe, expect, test } from "vitest";
import {
  aheadIn,
  type LineGroup,
  paceIn,
  statusCounts,
} from "../../server/src/rules/day-counts.ts";
import { front } from "../store/support/records.js";

const group = (entries: number, changes: Partial<LineGroup> = {}): LineGroup => ({
  queueId: front.id,
  status: "WAITING",
  priority: false,
  workMinutes: null,
  isBefore: true,
  entries,
  finishedMs: 0,
  ...changes,
});

/** Each number of people is another sum of powers of two, so a sum says which groups are in it. */
const groups = [
  group(1, { workMinutes: 10 }),
  group(2),
  group(4, { workMinutes: 7, isBefore: false }),
  group(8, { priority: true, workMinutes: 3 }),
  group(16, { priority: true, isBefore: false }),
  group(32, { status: "IN_SERVICE", workMinutes: 10 }),
  group(64, { status: "COMPLETED", workMinutes: 10, finishedMs: 300 }),
  group(128, { status: "COMPLETED", finishedMs: 4_000, isBefore: false }),
  group(256, { status: "CANCELED", finishedMs: 50_000 }),
  group(512, { status: "NO_SHOW", priority: true }),
];

describe("the groups of a day", () => {
  test("say who waits before an entry: those with priority, and those with lower numbers", () => {
    expect(aheadIn(groups, false)).toEqual({
      people: 1 + 2 + 8 + 16,
      knownMinutes: 10 + 8 * 3,
      unknown: 2 + 16,
    });
    expect(aheadIn(groups, true)).toEqual({ people: 8, knownMinutes: 24, unknown: 0 });
    expect(aheadIn([], true)).toEqual({ people: 0, knownMinutes: 0, unknown: 0 });
  });

  test("give the pace: who is served, and what is completed", () => {
    expect(paceIn(groups)).toEqual({ inService: 32, finished: 64 + 128, finishedMs: 4_300 });
  });

  test("count each status", () => {
    expect(statusCounts(groups)).toEqual({
      WAITING: 31,
      IN_SERVICE: 32,
      COMPLETED: 192,
      CANCELED: 256,
      NO_SHOW: 512,
    });
  });
});
