import { describe, expect, test } from "vitest";
import { StoreClock } from "../../server/src/store/clock.js";
import { start, testClock } from "./support/adapters.js";

const minute = 60_000;
const hour = 60 * minute;
const year = 365 * 24 * hour;

function started() {
  const clock = testClock();
  return { clock, store: new StoreClock(clock, clock.elapsed) };
}

describe("the time that expires records", () => {
  test("follows a clock that keeps up with elapsed time, within a tolerance", () => {
    const { clock, store } = started();
    for (const drift of [0, 500, -500, minute, -minute, 0]) {
      clock.advance(minute);
      clock.leap(drift);
      expect(store.expiry()).toBe(clock());
    }
  });

  test("follows elapsed time while the clock is wrong after a leap", () => {
    const { clock, store } = started();
    clock.leap(year);
    for (let at = 0; at < 59; at++) {
      expect(store.expiry()).toBe(clock.elapsed());
      clock.advance(minute);
    }
    clock.leap(-year);
    expect(store.expiry()).toBe(clock());
    clock.leap(year);
    expect(store.expiry()).toBe(clock.elapsed());
  });

  test("follows a clock that keeps its new time for an hour after its last leap", () => {
    const { clock, store } = started();
    for (let at = 0; at < 5; at++) {
      clock.leap(year);
      expect(store.expiry()).toBe(clock.elapsed());
      clock.advance(hour - 1);
    }
    expect(store.expiry()).toBe(clock.elapsed());
    clock.advance(1);
    expect(store.expiry()).toBe(clock());
    clock.advance(minute);
    expect(store.expiry()).toBe(clock());
  });

  test("follows a clock at once when it is set back", () => {
    const { clock, store } = started();
    clock.advance(minute);
    clock.leap(-year);
    expect(store.expiry()).toBe(clock());
  });
});

describe("the time that removes records", () => {
  /** Reads the clock once a minute, as a housekeeper does. */
  function readFor(minutes: number, { clock, store }: ReturnType<typeof started>) {
    return Array.from({ length: minutes }, () => {
      clock.advance(minute);
      return store.removalTime();
    });
  }

  test("is none until a clock that was wrong at the start was corrected for ten minutes", () => {
    const clock = testClock();
    clock.leap(year);
    const store = new StoreClock(clock, clock.elapsed);
    expect(readFor(9, { clock, store })).toEqual(Array(9).fill(null));
    clock.leap(-year);
    expect(readFor(10, { clock, store })).toEqual(Array(10).fill(null));
    expect(readFor(1, { clock, store })).toEqual([start + 20 * minute]);
  });

  test("is none for ten minutes after a leap, and from before the leap for an hour", () => {
    const { clock, store } = started();
    readFor(20, { clock, store });
    clock.leap(year);
    expect(store.removalTime()).toBeNull();
    expect(store.now()).toBe(start + year + 20 * minute);
    const times = readFor(59, { clock, store });
    expect(times.slice(0, 9)).toEqual(Array(9).fill(null));
    expect(Math.max(...times.map((time) => time ?? 0))).toBeLessThan(start + year);
    expect(readFor(1, { clock, store })).toEqual([start + year + 80 * minute]);
  });
});
