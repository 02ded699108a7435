import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  averageWait,
  behind,
  type LinePace,
  nobodyAhead,
  position,
  predictedWait,
  type Work,
} from "../../server/src/rules/line.ts";

const idle: LinePace = { inService: 0, finished: 0, finishedMinutes: 0 };
const works = fc.array(fc.option(fc.nat(120)), { maxLength: 30 });
const paces = fc
  .record({ inService: fc.nat(5), durations: fc.array(fc.nat(90), { maxLength: 10 }) })
  .map(({ inService, durations }) => ({
    inService,
    finished: durations.length,
    finishedMinutes: durations.reduce((sum, minutes) => sum + minutes, 0),
  }));

/** The wait by its definition, in whole numbers: minutes ahead times `finished`, divided at the end. */
function recounted(line: readonly Work[], place: number, pace: LinePace): number | null {
  const ahead = line.slice(0, place);
  const unknown = ahead.filter((work) => work === null).length;
  if (unknown > 0 && pace.finished === 0) return null;
  const known = ahead.reduce<number>((sum, work) => sum + (work ?? 0), 0);
  const scale = Math.max(1, pace.finished);
  const total = known * scale + unknown * pace.finishedMinutes;
  const divisor = scale * Math.max(1, pace.inService);
  return Math.floor((total + divisor - 1) / divisor);
}

describe("a line", () => {
  test("the first has nobody ahead and waits no time", () => {
    expect(position(nobodyAhead)).toBe(1);
    expect(predictedWait(nobodyAhead, idle)).toBe(0);
  });

  test("each place and wait is what a naive recount says", () => {
    fc.assert(
      fc.property(works, paces, (line, pace) => {
        let ahead = nobodyAhead;
        for (const [place, work] of line.entries()) {
          expect(position(ahead)).toBe(place + 1);
          expect(predictedWait(ahead, pace)).toBe(recounted(line, place, pace));
          ahead = behind(ahead, work);
        }
      }),
    );
  });

  test("nobody waits less than whoever stands before them", () => {
    fc.assert(
      fc.property(works, paces, (line, pace) => {
        let ahead = nobodyAhead;
        let before: number | null = 0;
        for (const work of line) {
          const wait = predictedWait(ahead, pace);
          if (before === null) expect(wait).toBeNull();
          else if (wait !== null) expect(wait).toBeGreaterThanOrEqual(before);
          before = wait;
          ahead = behind(ahead, work);
        }
      }),
    );
  });

  test("a third of a minute too much is no minute more", () => {
    const thirds = { inService: 1, finished: 3, finishedMinutes: 10 };
    const ahead = { people: 3, knownMinutes: 0, unknown: 3 };
    expect(predictedWait(ahead, thirds)).toBe(10);
  });
});

describe("the average wait", () => {
  test("is null when nobody waits", () => {
    expect(averageWait([], idle)).toBeNull();
  });

  test("is null when any wait is unknown", () => {
    expect(averageWait([null], idle)).toBe(0);
    expect(averageWait([null, 5], idle)).toBeNull();
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
        expect(averageWait(line, pace)).toBe(expected);
      }),
    );
  });
});
