import { describe, expect, it } from "vitest";
import type { EntryTimes } from "../../server/src/rules/statistics.js";
import { everyPart } from "../../server/src/store/every-part.js";
import type { DayRange } from "../../server/src/store/port/statistics.js";
import type { Store } from "../../server/src/store/store.js";
import { adapters } from "./support/adapters.js";
import {
  back,
  chair,
  clinic,
  entry,
  id,
  salon,
  settle,
  today,
  tomorrow,
} from "./support/records.js";

async function timesOf(
  store: Store,
  businessId: string,
  days: DayRange,
  queueId: string | null = null,
): Promise<EntryTimes[]> {
  const all: EntryTimes[] = [];
  const parts = everyPart((after) => store.statistics.entryTimes(businessId, days, queueId, after));
  for await (const some of parts) all.push(...some);
  return all;
}

const todayOnly = { first: today, last: today };

describe.each(adapters)("the statistics of the $name store", (adapter) => {
  it("are the times of each entry of the requested days, and nothing else", async () => {
    const { store, dispose } = await adapter.open();
    const served = { status: "COMPLETED", startedAt: 7_000, completedAt: 9_000 } as const;
    const waiting = {
      ...{ queueId: back.id, serviceId: entry(2).serviceId, date: today, status: "WAITING" },
      ...{ issuedAt: 2_000, startedAt: null, completedAt: null },
    };
    await settle(store, {
      entries: [
        entry(1, { ...served, issuedAt: 1_000 }),
        entry(2, { id: id("b"), queueId: back.id, issuedAt: 2_000 }),
        entry(3, { id: id("t"), date: tomorrow }),
        entry(4, { id: id("y"), date: "2026-11-20" }),
      ],
    });
    const times = await timesOf(store, clinic.id, todayOnly);
    expect(times).toHaveLength(2);
    expect(times).toEqual(
      expect.arrayContaining([
        {
          queueId: entry(1).queueId,
          serviceId: entry(1).serviceId,
          date: today,
          status: "COMPLETED",
          issuedAt: 1_000,
          startedAt: 7_000,
          completedAt: 9_000,
        },
        waiting,
      ]),
    );
    expect(await timesOf(store, clinic.id, { first: "2026-11-20", last: tomorrow })).toHaveLength(
      4,
    );
    expect(await timesOf(store, clinic.id, todayOnly, back.id)).toEqual([waiting]);
    expect(await timesOf(store, clinic.id, todayOnly, chair.id)).toEqual([]);
    expect(await timesOf(store, salon.id, todayOnly)).toEqual([]);
    expect(await timesOf(store, salon.id, todayOnly, back.id)).toEqual([]);
    await dispose();
  });

  it("come in parts, completely, for a day of any length", async () => {
    const { store, dispose } = await adapter.open();
    const mine = Array.from({ length: 6_001 }, (_, n) => entry(n + 1));
    const theirs = entry(1, { id: id("theirs"), businessId: salon.id, queueId: chair.id });
    await settle(store, { entries: mine }, { entries: [theirs] });
    let largest = 0;
    let all = 0;
    const parts = everyPart((after) =>
      store.statistics.entryTimes(clinic.id, todayOnly, null, after),
    );
    for await (const some of parts) {
      largest = Math.max(largest, some.length);
      all += some.length;
    }
    expect(all).toBe(6_001);
    expect(largest).toBeLessThanOrEqual(2_000);
    await dispose();
  });
});
