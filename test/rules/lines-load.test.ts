import { expect, test } from "vitest";
import { daysNow, linesLoad } from "../../server/src/rules/lines-load.js";

/** Saturday 21 November 2026, 12:30 UTC: Sunday already in Auckland, Saturday still in Los Angeles. */
const now = Date.UTC(2026, 10, 21, 12, 30);
const ago = (minutes: number) => now - minutes * 60_000;

test("covers at most three days, from the first time zone to the last", () => {
  expect(daysNow(now)).toEqual(["2026-11-20", "2026-11-21", "2026-11-22"]);
});

test("counts today's lines, with the day of each time zone", () => {
  const load = (timezone: string | null, date: string, waiting: number, minutes: number) => ({
    timezone,
    date,
    waiting,
    firstIssuedAt: ago(minutes),
  });
  const days = [
    load("Pacific/Auckland", "2026-11-22", 1, 5),
    load("Pacific/Auckland", "2026-11-21", 100, 900),
    load("America/Los_Angeles", "2026-11-21", 10, 7),
    load("America/Los_Angeles", "2026-11-20", 100, 900),
    load(null, "2026-11-21", 1_000, 6),
  ];
  expect(linesLoad(days, now)).toEqual({ waiting: 1_011, longestSeconds: 7 * 60 });
});

test("counts an arrival in the future as no wait", () => {
  const days = [{ timezone: null, date: "2026-11-21", waiting: 1, firstIssuedAt: now + 5_000 }];
  expect(linesLoad(days, now)).toEqual({ waiting: 1, longestSeconds: 0 });
});
