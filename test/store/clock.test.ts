import { expect, test } from "vitest";
import { StoreClock } from "../../server/src/store/clock.js";
import { testClock } from "./support/adapters.js";

const minute = 60_000;
const year = 365 * 24 * 60 * minute;

test.each<[string, leaps: Readonly<Record<number, number>>, number]>([
  ["a process has started", {}, 10],
  ["a clock that was wrong at the start is corrected", { 0: year, 9: -year }, 20],
  ["a clock leaps", { 5: year }, 16],
  ["a process has started, if its clock differs by seconds", { 5: 30_000 }, 10],
])("records are removed again ten minutes after %s", (_, leaps, expected) => {
  const clock = testClock();
  clock.leap(leaps[0] ?? 0);
  const store = new StoreClock(clock, clock.elapsed);
  for (let minutes = 1; ; minutes++) {
    clock.advance(minute);
    if (minutes === expected) break;
    expect(store.pruneTime()).toBeNull();
    clock.leap(leaps[minutes] ?? 0);
  }
  expect(store.pruneTime()).not.toBeNull();
});
