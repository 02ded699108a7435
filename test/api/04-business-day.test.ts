import { describe, expect, test } from "vitest";
import { expectStatus } from "../support/expect.js";
import { mainKey } from "../support/seed.js";
import { testService } from "../support/service.js";

const service = await testService();
const { clock } = service;

/** Time zone, instant, the day before the instant, and the day that begins with it. */
type Midnight = readonly [string | null, string, string, string];

describe("an omitted date", () => {
  /** The first instant of a day in a time zone, calculated by hand from the zone's offset at that time. */
  const midnights: Midnight[] = [
    [null, "2026-11-22T00:00:00Z", "2026-11-21", "2026-11-22"],
    ["Asia/Kolkata", "2026-11-21T18:30:00Z", "2026-11-21", "2026-11-22"],
    ["America/New_York", "2026-11-01T04:00:00Z", "2026-10-31", "2026-11-01"], // 25 hours long
  ];

  for (const [timezone, instant, before, after] of midnights) {
    test(`means today in ${timezone ?? "UTC, where the zone is null"}: ${instant}`, async () => {
      clock.set(Date.parse(instant) - 1);
      const clinic = await service.clinic({
        timezone,
        appointments: [{ ref: "last", slotTime: "23:59" }],
      });
      const client = clinic.client();
      const today = async () => (await client.queue(clinic.queue())).data.date;
      const last = (await client.create(clinic.queue())).data;

      expect(await today()).toBe(before);
      expect((await client.appointments()).data).toHaveLength(1);
      clock.advance({ milliseconds: 1 });
      expect(await today()).toBe(after);
      expect((await client.entries(clinic.queue())).data).toEqual([]);
      expect((await client.appointments()).data).toEqual([]);
      const first = (await client.create(clinic.queue())).data;
      expect([last.tokenNumber, first.tokenNumber]).toEqual([1, 1]);
      expect(
        (await client.entries(clinic.queue(), { date: before })).data.map(({ id }) => id),
      ).toEqual([last.id]);
      expect(
        (await client.entries(clinic.queue(), { date: after })).data.map(({ id }) => id),
      ).toEqual([first.id]);
    });
  }
});

describe("a list that starts without a date", () => {
  const oneBeforeMidnight = Date.parse("2026-11-21T18:29:59Z");

  test("continues after midnight with the day of its cursor", async () => {
    clock.set(oneBeforeMidnight);
    const slots = ["09:00", "10:00", "11:00"];
    const clinic = await service.clinic({
      queues: [{ ref: "front", name: "Front desk", entries: [{}, {}, {}] }],
      appointments: slots.map((slotTime) => ({ slotTime })),
      keys: [{ ...mainKey, days: 2 }],
    });
    const client = clinic.client();
    const entries = await client.entries(clinic.queue(), { limit: 1 });
    const appointments = await client.appointments({ limit: 1 });
    clock.advance({ seconds: 2 });
    await client.create(clinic.queue());

    const afterEntries = { cursor: entries.nextCursor ?? "" };
    const rest = await client.entries(clinic.queue(), afterEntries);
    expect(rest.data.map(({ token }) => token)).toEqual(["A2", "A3"]);
    expect(rest.nextCursor).toBeNull();
    const waiting = await client.entries(clinic.queue(), { ...afterEntries, status: "WAITING" });
    expect(waiting.data).toHaveLength(2);
    const restOfDay = await client.appointments({ cursor: appointments.nextCursor ?? "" });
    expect(restOfDay.data.map(({ slotTime }) => slotTime)).toEqual(["10:00", "11:00"]);
  });
});

test("an entry of yesterday keeps its position in yesterday's line and can be canceled", async () => {
  clock.set(Date.parse("2026-11-21T18:29:00Z"));
  const clinic = await service.clinic({ keys: [{ ...mainKey, days: 2 }] });
  const { id } = (await clinic.client().create(clinic.queue())).data;
  clock.advance({ hours: 1 });
  await clinic.client().create(clinic.queue());
  expect((await clinic.client().entry(id)).data).toMatchObject({ position: 1 });
  expectStatus(await clinic.client().cancel(id), 200);
});
