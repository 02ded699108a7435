import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  behind,
  expectedWait,
  noneAhead,
  position,
  predictedWait,
  type Work,
  waitsOf,
} from "../../server/src/rules/line.ts";
import type { Ahead, LinePace } from "../../server/src/rules/records.ts";

const idle: LinePace = { inService: 0, finished: 0, finishedMs: 0 };
const works = fc.array(fc.option(fc.nat(120)), { maxLength: 30 });
/** Half of what a queue takes in a day: if as many wait as are finished, their product is the largest. */
const most = 5_000;
const loads = fc.record({
  people: fc.nat(most),
  unknown: fc.nat(most),
  knownMinutes: fc.nat(most * 1_440),
});
const paces = fc.record({
  inService: fc.nat(100),
  finished: fc.nat(most),
  finishedMs: fc.nat(most * 86_400_000),
});

/** The wait by its definition, in integers: milliseconds ahead times `finished`, divided at the end. */
function recounted({ unknown, knownMinutes }: Ahead, pace: LinePace): number | null {
  if (unknown > 0 && pace.finished === 0) return null;
  const scale = BigInt(Math.max(1, pace.finished)) * 60_000n;
  const total = BigInt(knownMinutes) * scale + BigInt(unknown) * BigInt(pace.finishedMs);
  const divisor = scale * BigInt(Math.max(1, pace.inService));
  return Number((total + divisor - 1n) / divisor);
}

/** The work before a place of a line. */
function aheadOf(line: readonly Work[], place: number): Ahead {
  const known = line.slice(0, place).filter((work) => work !== null);
  const knownMinutes = known.reduce<number>((sum, work) => sum + work, 0);
  return { people: place, knownMinutes, unknown: place - known.length };
}

describe("a line", () => {
  test("each place has those before it", () => {
    fc.assert(
      fc.property(works, (line) => {
        let ahead = noneAhead;
        for (const [place, work] of line.entries()) {
          expect(ahead).toEqual(aheadOf(line, place));
          expect(position(ahead)).toBe(place + 1);
          ahead = behind(ahead, work);
        }
      }),
    );
  });

  test("each wait is exact, for as many entries as a queue takes in a day", () => {
    fc.assert(
      fc.property(loads, paces, (ahead, pace) => {
        expect(predictedWait(ahead, pace)).toBe(recounted(ahead, pace));
      }),
    );
  });

  test("a rounding error of a fraction does not add a minute", () => {
    const sevenths = { inService: 1, finished: 7, finishedMs: 29 * 60_000 };
    const ahead = { people: 7, knownMinutes: 0, unknown: 7 };
    expect(predictedWait(ahead, sevenths)).toBe(29); // 7 * (29 / 7) is slightly more
  });

  test("a day whose entries ended before they started has a mean of 0", () => {
    const pace = { inService: 1, finished: 1, finishedMs: -600_000 };
    expect(predictedWait({ knownMinutes: 5, unknown: 1 }, pace)).toBe(5);
  });
});

describe("the average wait", () => {
  test("is null when the line is empty, or a wait is unknown", () => {
    expect(waitsOf([null, 5], idle).averageWaitMinutes).toBeNull();
    expect(waitsOf([], idle)).toEqual({ averageWaitMinutes: null, aheadOfNew: noneAhead });
  });

  test("is the rounded mean of all waits", () => {
    fc.assert(
      fc.property(works, paces, (line, pace) => {
        const waits = line.map((_, place) => recounted(aheadOf(line, place), pace));
        const known = waits.filter((wait) => wait !== null);
        const expected =
          waits.length === 0 || known.length < waits.length
            ? null
            : Math.round(known.reduce((sum, wait) => sum + wait, 0) / known.length);
        expect(waitsOf(line, pace).averageWaitMinutes).toBe(expected);
      }),
    );
  });
});

describe("the expected wait", () => {
  const ahead = { people: 4, knownMinutes: 30, unknown: 2 };

  test("counts unknown work as the mean of the known until something is finished", () => {
    expect(expectedWait(ahead, idle)).toBe(60);
    expect(expectedWait(ahead, { ...idle, inService: 2 })).toBe(30);
    const pace = { inService: 1, finished: 1, finishedMs: 300_000 };
    expect(expectedWait(ahead, pace)).toBe(predictedWait(ahead, pace));
  });

  test("is null if no work is known, and none is finished", () => {
    expect(expectedWait({ people: 2, knownMinutes: 0, unknown: 2 }, idle)).toBeNull();
    expect(expectedWait(noneAhead, idle)).toBe(0);
  });
});
