import { describe, expect, it } from "vitest";
import { everyPart } from "../../server/src/operations/every-part.js";
import { adapters } from "./support/adapters.js";
import { chair, clinic, entry, id, salon, settle, today } from "./support/records.js";

const todayOnly = { first: today, last: today };

describe.each(adapters)("the statistics of the $name store", (adapter) => {
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
