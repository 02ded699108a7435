import { describe, expect, test } from "vitest";
import { Reports } from "../../server/src/store/mongo/reports.js";

const place = { businessId: "clinic", date: "2026-11-21", queueId: "front" };

/** The reports of a process whose change has ended with an unknown result. */
function doubting(): Reports {
  const reports = new Reports();
  reports.begin(place, 1);
  reports.end(place, 1, { epoch: 3, doubt: true });
  return reports;
}

const doubt = { epochs: [3], doubt: true };
const none = { epochs: [], doubt: false };

describe("a report on a line", () => {
  test("repeats what the reports say that have not arrived", () => {
    const reports = doubting();
    expect(reports.take(place)).toMatchObject(doubt);
    expect(reports.take(place)).toMatchObject(doubt);
  });

  test("repeats nothing that has arrived, although a later report that repeats it is under way", () => {
    const reports = doubting();
    const first = reports.take(place);
    reports.take(place);
    reports.arrived(place, first);
    expect(reports.take(place)).toMatchObject(none);
  });

  test("repeats nothing that a later report has brought", () => {
    const reports = doubting();
    const first = reports.take(place);
    reports.arrived(place, reports.take(place));
    reports.lost(place, first);
    expect(reports.changed()).toEqual([]);
    expect(reports.take(place)).toMatchObject(none);
  });

  test("is made again if it may be lost", () => {
    const reports = doubting();
    const first = reports.take(place);
    expect(reports.changed()).toEqual([]);
    reports.lost(place, first);
    expect(reports.changed()).toEqual([place]);
    expect(reports.take(place)).toMatchObject(doubt);
  });
});

describe("what has not arrived in the lines of a business", () => {
  test("includes what waits and what is under way, and nothing of another business", () => {
    const reports = doubting();
    const before = reports.unarrived(place.businessId);
    const first = reports.take(place);
    const during = reports.unarrived(place.businessId);
    expect([...before.values(), ...during.values()]).toEqual([doubt, doubt]);
    expect(reports.unarrived("salon").size).toBe(0);
    reports.arrived(place, first);
    expect(reports.unarrived(place.businessId).size).toBe(0);
  });
});
