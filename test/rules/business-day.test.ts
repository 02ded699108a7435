import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addDays, businessDay, isTimezone } from "../../server/src/rules/business-day.ts";

const zones = [
  "UTC",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "America/New_York",
  "America/St_Johns",
  "Pacific/Auckland",
  "Pacific/Chatham",
  "Pacific/Apia",
  "Pacific/Kiritimati",
  "Australia/Lord_Howe",
  "Africa/Casablanca",
  "Europe/Berlin",
];
const instants = fc.integer({
  min: Date.UTC(2020, 0, 1),
  max: Date.UTC(2035, 0, 1),
});

/** The day by another way: the clock on the wall, as Swedes write it. */
function wallDay(now: number, timeZone: string): string {
  return new Date(now).toLocaleString("sv-SE", { timeZone }).slice(0, 10);
}

describe("businessDay", () => {
  test("is the day on the wall, in any zone at any time", () => {
    fc.assert(
      fc.property(instants, fc.constantFrom(...zones), (now, zone) => {
        expect(businessDay(now, zone)).toBe(wallDay(now, zone));
      }),
      { numRuns: 2000 },
    );
  });

  test.each(zones)("goes on by one day at a time through a year in %s", (zone) => {
    const quarter = 15 * 60_000; // no zone's midnight lies between two quarters of an hour
    let day = businessDay(Date.UTC(2026, 0, 1), zone);
    for (let now = Date.UTC(2026, 0, 1); now < Date.UTC(2027, 0, 1); now += quarter) {
      const next = businessDay(now, zone);
      if (next === day) continue;
      expect(next).toBe(addDays(day, 1));
      expect([wallDay(now - 1, zone), wallDay(now, zone)]).toEqual([day, next]);
      day = next;
    }
    expect(day >= "2026-12-31").toBe(true);
  });

  test("null means UTC", () => {
    expect(businessDay(Date.UTC(2026, 10, 21, 23, 59, 59, 999), null)).toBe("2026-11-21");
    expect(businessDay(Date.UTC(2026, 10, 22), null)).toBe("2026-11-22");
  });

  test("Samoa had no 30 December 2011", () => {
    const midnight = Date.UTC(2011, 11, 30, 10);
    expect(businessDay(midnight - 1, "Pacific/Apia")).toBe("2011-12-29");
    expect(businessDay(midnight, "Pacific/Apia")).toBe("2011-12-31");
  });
});

describe("addDays", () => {
  test.each([
    ["2026-11-21", 1, "2026-11-22"],
    ["2026-11-30", 1, "2026-12-01"],
    ["2026-01-01", -1, "2025-12-31"],
    ["2028-02-28", 1, "2028-02-29"],
    ["2026-02-28", 1, "2026-03-01"],
    ["2026-11-21", 0, "2026-11-21"],
  ])("%s and %i days", (day, days, expected) => {
    expect(addDays(day, days)).toBe(expected);
  });

  test("there and back again", () => {
    const days = fc.integer({ min: -5000, max: 5000 });
    fc.assert(
      fc.property(instants, days, (now, days) => {
        const day = businessDay(now, null);
        expect(addDays(addDays(day, days), -days)).toBe(day);
      }),
    );
  });
});

describe("isTimezone", () => {
  test.each(["UTC", "Asia/Kolkata", "America/Argentina/Buenos_Aires"])("%s is one", (name) => {
    expect(isTimezone(name)).toBe(true);
  });

  test.each(["", "+05:30", "-03", "Mars/Olympus", "Asia/Kolkata ", "../etc"])(
    "%j is none",
    (name) => {
      expect(isTimezone(name)).toBe(false);
    },
  );
});
