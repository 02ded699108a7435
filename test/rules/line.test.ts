import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  behind,
  expectedWait,
  inLineOrder,
  noneAhead,
  position,
  predictedWait,
  type Work,
  waitsOf,
} from "../../server/src/rules/line.ts";
import type { LinePace } from "../../server/src/rules/records.ts";
import { entry } from "../store/support/records.js";

const idle: LinePace = { inService: 0, finished: 0, finishedMs: 0 };
const works = fc.array(fc.option(fc.nat(120)), { maxLength: 30 });
const paces = fc
  .record({ inService: fc.nat(5), durations: fc.array(fc.nat(5_400_000), { maxLength: 10 }) })
  .map(({ inService, durations }) => ({
    inService,
    finished: durations.length,
    finishedMs: durations.reduce((sum, ms) => sum + ms, 0),
  }));

/** The wait by its definition, in integers: milliseconds ahead times `finished`, divided at the end. */
function recounted(line: readonly Work[], place: number, pace: LinePace): number | null {
  const ahead = line.slice(0, place);
  const unknown = ahead.filter((work) => work === null).length;
  if (unknown > 0 && pace.finished === 0) return null;
  const known = ahead.reduce<number>((sum, work) => sum + (work ?? 0), 0);
  const scale = BigInt(Math.max(1, pace.finished)) * 60_000n;
  const total = BigInt(known) * scale + BigInt(unknown) * BigInt(pace.finishedMs);
  const divisor = scale * BigInt(Math.max(1, pace.inService));
  return Number((total + divisor - 1n) / divisor);
}

describe("a line", () => {
  test("each position and wait equals a naive recount", () => {
    fc.assert(
      fc.property(works, paces, (line, pace) => {
        let ahead = noneAhead;
        for (const [place, work] of line.entries()) {
          expect(position(ahead)).toBe(place + 1);
          expect(predictedWait(ahead, pace)).toBe(recounted(line, place, pace));
          ahead = behind(ahead, work);
        }
      }),
    );
  });

  test("a rounding error of a third does not add a minute", () => {
    const thirds = { inService: 1, finished: 3, finishedMs: 600_000 };
    const ahead = { people: 3, knownMinutes: 0, unknown: 3 };
    expect(predictedWait(ahead, thirds)).toBe(10);
  });

  test("a wait is exact for as many entries as a queue takes in a day", () => {
    const line = fc.record({ unknown: fc.nat(5_000), knownMinutes: fc.nat(5_000 * 1_440) });
    const pace = fc.record({
      inService: fc.nat(100),
      finished: fc.integer({ min: 1, max: 5_000 }),
      finishedMs: fc.nat(5_000 * 86_400_000),
    });
    fc.assert(
      fc.property(line, pace, (ahead, pace) => {
        const minute = BigInt(pace.finished) * 60_000n;
        const work =
          BigInt(ahead.knownMinutes) * minute + BigInt(ahead.unknown) * BigInt(pace.finishedMs);
        const divisor = minute * BigInt(Math.max(1, pace.inService));
        const wait = Number((work + divisor - 1n) / divisor);
        expect(predictedWait(ahead, pace)).toBe(wait);
      }),
    );
  });

  test("a day whose entries ended before they started has a mean of 0", () => {
    const pace = { inService: 1, finished: 1, finishedMs: -600_000 };
    expect(predictedWait({ knownMinutes: 5, unknown: 1 }, pace)).toBe(5);
  });
});

describe("the average wait", () => {
  test("is null when the line is empty", () => {
    expect(waitsOf([], idle)).toEqual({ averageWaitMinutes: null, aheadOfNew: noneAhead });
  });

  test("is the rounded mean of all waits", () => {
    fc.assert(
      fc.property(works, paces, (line, pace) => {
        const waits = line.map((_, place) => recounted(line, place, pace));
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

test("a line has priority first, then lower numbers", () => {
  const line = [entry(3), entry(4, { priority: true }), entry(1), entry(2, { priority: true })];
  expect(line.sort(inLineOrder).map((one) => one.tokenNumber)).toEqual([2, 4, 1, 3]);
});
