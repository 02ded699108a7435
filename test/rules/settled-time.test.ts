import { describe, expect, test } from "vitest";
import { SettledTime } from "../../server/src/rules/settled-time.js";

const minute = 60_000;
const hour = 60 * minute;
const year = 365 * 24 * hour;

/** A clock that can be set, the elapsed time, and the settled time. */
function world() {
  let elapsed = 5_000;
  let offset = 1_000_000_000;
  const settled = new SettledTime(() => elapsed);
  const read = () => settled.at(elapsed + offset) - elapsed;
  return {
    pass: (ms: number) => {
      elapsed += ms;
    },
    leap: (ms: number) => {
      offset += ms;
    },
    /** How far the settled time is ahead of the elapsed time. */
    believed: read,
    clock: () => offset,
  };
}

describe("the settled time", () => {
  test("follows a clock that keeps up with elapsed time, within a tolerance", () => {
    const { pass, leap, believed, clock } = world();
    for (const drift of [0, 500, -500, minute, -minute, 0]) {
      pass(minute);
      leap(drift);
      expect(believed()).toBe(clock());
    }
  });

  test("follows elapsed time while the clock is wrong after a leap", () => {
    const { pass, leap, believed, clock } = world();
    const before = believed();
    leap(year);
    for (let at = 0; at < 59; at++) {
      expect(believed()).toBe(before);
      pass(minute);
    }
    leap(-year);
    expect(believed()).toBe(clock());
    leap(year);
    expect(believed()).toBe(before);
  });

  test("follows a clock that keeps its new time for an hour after a leap", () => {
    const { pass, leap, believed, clock } = world();
    const before = believed();
    leap(year);
    expect(believed()).toBe(before);
    pass(hour - 1);
    expect(believed()).toBe(before);
    pass(1);
    expect(believed()).toBe(clock());
    pass(minute);
    expect(believed()).toBe(clock());
  });

  test("waits another hour after each further leap", () => {
    const { pass, leap, believed, clock } = world();
    const before = believed();
    for (let at = 0; at < 5; at++) {
      leap(year);
      expect(believed()).toBe(before);
      pass(hour - minute);
    }
    expect(believed()).toBe(before);
    pass(minute);
    expect(believed()).toBe(clock());
  });

  test("follows a clock at once when it is set back", () => {
    const { pass, leap, believed, clock } = world();
    believed();
    pass(minute);
    leap(-year);
    expect(believed()).toBe(clock());
  });
});
