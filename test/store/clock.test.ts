import { expect, test } from "vitest";
import { StoreClock } from "../../server/src/store/clock.js";
import { start, testClock } from "./support/adapters.js";

const minute = 60_000;
const year = 365 * 24 * 60 * minute;

function started() {
  const clock = testClock();
  return { clock, store: new StoreClock(clock, clock.elapsed) };
}

/** Reads the clock once a minute, as a housekeeper does. */
function readFor(minutes: number, { clock, store }: ReturnType<typeof started>): (number | null)[] {
  return Array.from({ length: minutes }, () => {
    clock.advance(minute);
    return store.pruneTime();
  });
}

test("a wrong clock that is corrected within ten minutes has removed nothing, and is trusted ten minutes later", () => {
  const clock = testClock();
  clock.leap(year);
  const store = new StoreClock(clock, clock.elapsed);
  expect(readFor(9, { clock, store })).toEqual(Array(9).fill(null));
  clock.leap(-year);
  expect(readFor(10, { clock, store })).toEqual(Array(10).fill(null));
  expect(readFor(1, { clock, store })).toEqual([start + 20 * minute]);
});

test("a clock that leaps a year removes nothing until it has agreed with elapsed time for ten minutes", () => {
  const { clock, store } = started();
  readFor(20, { clock, store });
  clock.leap(year);
  expect(store.pruneTime()).toBeNull();
  expect(store.now()).toBe(start + year + 20 * minute);
  const times = readFor(59, { clock, store });
  expect(times.slice(0, 9)).toEqual(Array(9).fill(null));
  // Then it removes what had expired before the leap, and only after an hour what expires by the new time.
  expect(Math.max(...times.map((time) => time ?? 0))).toBeLessThan(start + year);
  expect(readFor(1, { clock, store })).toEqual([start + year + 80 * minute]);
});

test("a clock that differs by seconds is trusted", () => {
  const { clock, store } = started();
  readFor(20, { clock, store });
  clock.leap(30_000);
  expect(store.pruneTime()).not.toBeNull();
});
