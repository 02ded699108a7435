import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addDays,
  businessDay,
  localHour,
  sameTimeOn,
  startOfDay,
} from "../../server/src/rules/business-day.ts";

const zones = [
  ...["UTC", "Asia/Kolkata", "Asia/Kathmandu", "America/New_York", "America/St_Johns"],
  ...["Pacific/Auckland", "Pacific/Chatham", "Pacific/Apia", "Pacific/Kiritimati"],
  ...["Australia/Lord_Howe", "Africa/Casablanca", "Europe/Berlin"],
];
const instants = fc.integer({
  min: Date.UTC(2020, 0, 1),
  max: Date.UTC(2035, 0, 1),
});

/** The day calculated independently: local time in the Swedish format, which starts with the ISO date. */
function wallDay(now: number, timeZone: string): string {
  return new Date(now).toLocaleString("sv-SE", { timeZone }).slice(0, 10);
}

describe("businessDay", () => {
  test("is the local calendar day in any time zone at any time", () => {
    fc.assert(
      fc.property(instants, fc.constantFrom(...zones), (now, zone) => {
        expect(businessDay(now, zone)).toBe(wallDay(now, zone));
      }),
      { numRuns: 2000 },
    );
  });

  test("uses UTC when the time zone is null", () => {
    expect(businessDay(Date.UTC(2026, 10, 21, 23, 59, 59, 999), null)).toBe("2026-11-21");
    expect(businessDay(Date.UTC(2026, 10, 22), null)).toBe("2026-11-22");
  });
});

test.each([
  ["2026-11-21", 1, "2026-11-22"],
  ["2026-11-30", 1, "2026-12-01"],
  ["2026-01-01", -1, "2025-12-31"],
  ["2028-02-28", 1, "2028-02-29"],
  ["2026-02-28", 1, "2026-03-01"],
  ["2026-11-21", 0, "2026-11-21"],
])("the day after %s and %i days", (day, days, expected) => {
  expect(addDays(day, days)).toBe(expected);
});

describe("startOfDay", () => {
  test.each([
    ["2026-11-21", null, "2026-11-21T00:00:00Z"],
    ["2026-11-21", "Asia/Kolkata", "2026-11-20T18:30:00Z"],
    ["2026-03-08", "America/New_York", "2026-03-08T05:00:00Z"],
    ["2026-03-09", "America/New_York", "2026-03-09T04:00:00Z"],
    ["2026-11-21", "Pacific/Kiritimati", "2026-11-20T10:00:00Z"],
    ["2026-11-21", "Etc/GMT+12", "2026-11-21T12:00:00Z"],
    ["2026-04-24", "Africa/Cairo", "2026-04-23T22:00:00Z"], // clocks go from 00:00 to 01:00
    ["2011-12-30", "Pacific/Apia", "2011-12-30T10:00:00Z"], // a day that Samoa skipped
  ])("%s in %s", (day, timezone, expected) => {
    expect(new Date(startOfDay(day, timezone)).toISOString()).toBe(expected.replace("Z", ".000Z"));
  });

  test("divides time into days without gaps", () => {
    fc.assert(
      fc.property(instants, fc.constantFrom(...zones), (now, zone) => {
        const day = businessDay(now, zone);
        expect(startOfDay(day, zone)).toBeLessThanOrEqual(now);
        expect(startOfDay(addDays(day, 1), zone)).toBeGreaterThan(now);
      }),
      { numRuns: 300 },
    );
  });
});

test("localHour is the hour of the local time", () => {
  fc.assert(
    fc.property(instants, fc.constantFrom(...zones), (now, zone) => {
      const shown = new Intl.DateTimeFormat("en-GB", { timeZone: zone, timeStyle: "short" });
      expect(localHour(now, zone)).toBe(Number(shown.format(now).slice(0, 2)));
    }),
    { numRuns: 300 },
  );
  expect(localHour(Date.parse("2026-11-21T23:59:59Z"), null)).toBe(23);
});

describe("sameTimeOn", () => {
  test.each([
    ["2026-10-24", "2026-10-26T09:00:00+01:00", "2026-10-24T07:00:00.000Z"],
    ["2026-10-25", "2026-10-26T09:00:00+01:00", "2026-10-25T08:00:00.000Z"],
    ["2026-10-25", "2026-10-26T02:30:00+01:00", "2026-10-25T00:30:00.000Z"], // occurs twice
    ["2026-03-28", "2026-03-30T09:00:00+02:00", "2026-03-28T08:00:00.000Z"],
    ["2026-03-29", "2026-03-30T02:30:00+02:00", "2026-03-29T01:30:00.000Z"], // does not exist: 03:30
  ])("on %s, for %s in Berlin", (day, at, expected) => {
    const found = sameTimeOn(day, Date.parse(at), "Europe/Berlin");
    expect(new Date(found).toISOString()).toBe(expected);
  });

  test("uses UTC when the time zone is null, and keeps milliseconds", () => {
    const at = Date.UTC(2026, 10, 21, 23, 59, 59, 999);
    expect(sameTimeOn("2026-11-01", at, null)).toBe(Date.UTC(2026, 10, 1, 23, 59, 59, 999));
  });
});
