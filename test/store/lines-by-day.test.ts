import { describe, expect, it } from "vitest";
import { adapters } from "./support/adapters.js";
import { back, chair, clinic, entry, salon, today, tomorrow } from "./support/records.js";
import { freshStore } from "./support/store.js";

const yesterday = "2026-11-20";

describe.each(adapters)("the lines of the $name store by day", (adapter) => {
  const opened = freshStore(adapter);

  async function withLines() {
    const { store } = await opened.with(
      {
        entries: [
          entry(1, { issuedAt: 1_000, status: "COMPLETED", startedAt: 1_001, completedAt: 1_002 }),
          entry(2, { issuedAt: 5_000 }),
          entry(3, { issuedAt: 4_000, priority: true }),
          entry(4, { issuedAt: 3_000, queueId: back.id }),
          entry(5, { issuedAt: 2_000, date: yesterday }),
          entry(6, { issuedAt: 6_000, date: "2026-11-19" }),
          entry(7, { issuedAt: 100, date: tomorrow, status: "CANCELED", canceledAt: 200 }),
        ],
      },
      { entries: [entry(8, { businessId: salon.id, queueId: chair.id, issuedAt: 7_000 })] },
    );
    return store;
  }

  it("are summed over queues by time zone and day, with the person who has waited longest", async () => {
    const store = await withLines();
    const loads = [...(await store.monitoring.linesByDay([yesterday, today, tomorrow]))];
    loads.sort((a, b) => `${a.timezone} ${a.date}`.localeCompare(`${b.timezone} ${b.date}`));
    const { timezone } = clinic;
    expect(loads).toEqual([
      { timezone, date: yesterday, waiting: 1, firstIssuedAt: 2_000 },
      { timezone, date: today, waiting: 3, firstIssuedAt: 3_000 },
      { timezone: null, date: today, waiting: 1, firstIssuedAt: 7_000 },
    ]);
  });

  it("follow each change of an entry", async () => {
    const store = await withLines();
    await store.entries.callNext(clinic.id, back.id, today, 8_000);
    const loads = await store.monitoring.linesByDay([today]);
    expect(loads).toContainEqual({
      timezone: clinic.timezone,
      date: today,
      waiting: 2,
      firstIssuedAt: 4_000,
    });
  });

  it("do not include empty lines", async () => {
    const { store } = opened();
    expect(await store.monitoring.linesByDay([today])).toEqual([]);
  });
});
