import { limits } from "@queue-api/contract";
import { describe, expect } from "vitest";
import type { Entry } from "../../server/src/rules/records.js";
import { start } from "../store/support/adapters.js";
import {
  advice,
  back,
  chair,
  clinic,
  consult,
  entry,
  front,
  haircut,
  id,
  retired,
  salon,
  today,
  token,
  tomorrow,
} from "../store/support/records.js";
import { it, settledStore } from "../store/support/store.js";

const nobody = id("nobody");
const now = start + 60_000;

/** The person of an entry, corrected. */
const corrected = {
  customerName: "Zoë",
  customerPhone: "919800000009",
  phoneIsInternational: true,
};

/** A store whose clinic has these entries. */
async function withEntries(...entries: readonly Entry[]) {
  return (await settledStore({ entries })).store;
}

describe("a creation", () => {
  it("gives the next number of the queue and the next sequence of the day", async ({ store }) => {
    const give = async (name: string, changes = {}) => {
      const created = await store.entries.create(clinic.id, token(name, changes));
      if (!("receipt" in created)) throw new Error(created.outcome);
      const { entry, line } = created.receipt;
      const label = `${entry.tokenSeries}${entry.tokenNumber}`;
      return [label, entry.sequenceInDay, entry.workMinutes, line?.ahead.people];
    };
    expect(await give("one", { serviceId: consult.id })).toEqual(["A1", 1, 15, 0]);
    expect(await give("two", { queueId: back.id })).toEqual(["B1", 2, null, 0]);
    expect(await give("three", { serviceId: advice.id })).toEqual(["A2", 3, null, 1]);
    expect(await give("four", { priority: true })).toEqual(["A3", 4, null, 0]);
    expect(await give("five", { date: tomorrow })).toEqual(["A1", 1, null, 0]);
    await store.entries.transition(clinic.id, id("three"), "cancel", now);
    expect(await give("six")).toEqual(["A4", 5, null, 2]);
  });
});

describe("the numbers of a queue", () => {
  it("end with 10,000 on a day", async () => {
    const store = await withEntries(entry(limits.queueTokensPerDay - 1));
    const create = (name: string, changes = {}) =>
      store.entries.create(clinic.id, token(name, changes));
    const full = { outcome: "plan_limit_reached" };
    expect(await create("last")).toMatchObject({ receipt: { entry: { tokenNumber: 10_000 } } });
    expect(await create("more")).toEqual(full);
    await create("other", { queueId: back.id });
    expect(await store.entries.transfer(clinic.id, id("other"), front.id)).toEqual(full);
    expect((await create("next", { date: tomorrow })).outcome).toBe("created");
  });

  it("are never given again, not even to the person who left one", async () => {
    const store = await withEntries(entry(1), entry(2));
    const transfer = async (queueId: string) => {
      const transferred = await store.entries.transfer(clinic.id, entry(2).id, queueId);
      if (transferred.outcome !== "changed") throw new Error(transferred.outcome);
      return `${transferred.entry.tokenSeries}${transferred.entry.tokenNumber}`;
    };
    const given = [await transfer(back.id), await transfer(front.id), await transfer(back.id)];
    expect(given).toEqual(["B1", "A3", "B2"]);
    const create = (queueId: string) =>
      store.entries.create(clinic.id, token(`after in ${queueId}`, { queueId }));
    expect(await create(front.id)).toMatchObject({ receipt: { entry: { tokenNumber: 4 } } });
    await store.entries.transition(clinic.id, entry(2).id, "undo", now);
    expect(await create(back.id)).toMatchObject({ receipt: { entry: { tokenNumber: 3 } } });
  });
});

describe("a key of a creation", () => {
  const keyed = { key: "key-0001", fingerprint: "body" };
  const location = "/v1/entries/one";

  it("gives its receipt again, also after the entry has changed or when a new one would be refused", async ({
    store,
  }) => {
    const asked = token("one", { keyed, location });
    const created = await store.entries.create(clinic.id, asked);
    if (created.outcome !== "created") throw new Error(created.outcome);
    expect(created.receipt.location).toBe(location);
    await store.entries.transition(clinic.id, id("one"), "call", now);
    await store.queues.change(clinic.id, front.id, { isActive: false });
    const replay = { outcome: "replay", receipt: created.receipt };
    expect(await store.entries.create(clinic.id, token("two", { keyed }))).toEqual(replay);
    expect(await store.entries.replayOf(clinic.id, keyed)).toEqual(replay);
    const other = { ...keyed, fingerprint: "another body" };
    const reused = { outcome: "reused" };
    expect(await store.entries.create(clinic.id, token("two", { keyed: other }))).toEqual(reused);
    expect(await store.entries.replayOf(clinic.id, other)).toEqual(reused);
  });

  it("is kept for 24 hours, and its entry for longer, when the clock was corrected ahead of the elapsed time, as after a sleep", async ({
    store,
    clock,
  }) => {
    clock.leap(40 * 3_600_000);
    await store.entries.create(clinic.id, token("one", { keyed }));
    clock.advance(23 * 3_600_000);
    expect(await store.entries.replayOf(clinic.id, keyed)).not.toBeNull();
    clock.advance(3_600_000);
    const second = await store.entries.create(clinic.id, token("two", { keyed }));
    expect(second.outcome).toBe("created");
    expect(await store.entries.get(clinic.id, id("one"))).not.toBeNull();
  });
});

describe("a transition of an entry", () => {
  it("by the counter is for the person who is next", async () => {
    const store = await withEntries(entry(1), entry(2), entry(3, { priority: true }));
    const next = async (number: number) =>
      (await store.entries.transition(clinic.id, entry(number).id, "next", now)).outcome;
    expect(await next(1)).toBe("not_next");
    expect(await next(3)).toBe("changed");
    expect(await next(2)).toBe("not_next");
    expect(await next(1)).toBe("changed");
    expect(await next(1)).toBe("invalid_state");
  });

  it("of another business, or of an entry that is not there, finds nothing", async () => {
    const store = await withEntries(entry(1));
    const notFound = { outcome: "not_found" };
    const correction = { ...corrected, serviceId: null, workMinutes: null };
    for (const [businessId, entryId] of [
      [salon.id, entry(1).id],
      [clinic.id, nobody],
    ] as const) {
      expect(await store.entries.transition(businessId, entryId, "call", now)).toEqual(notFound);
      expect(await store.entries.transfer(businessId, entryId, back.id)).toEqual(notFound);
      expect(await store.entries.correct(businessId, entryId, correction)).toEqual(notFound);
    }
  });

  it("calls the first of the line of that queue and day", async () => {
    const store = await withEntries(
      entry(1, { date: tomorrow }),
      entry(2, { queueId: back.id }),
      entry(3),
      entry(4, { priority: true }),
    );
    const call = () => store.entries.callNext(clinic.id, front.id, today, now);
    const called = await call();
    expect(called).toMatchObject({ id: entry(4).id, status: "IN_SERVICE", startedAt: now });
    expect((await store.entries.get(clinic.id, entry(4).id))?.entry).toEqual(called);
    expect(await call()).toMatchObject({ id: entry(3).id });
    expect(await call()).toBeNull();
  });
});

it.each([
  ["a queue of another business", "queue_not_found", chair.id, today],
  ["the same queue", "same_queue", front.id, today],
  ["another queue", "changed", back.id, today],
  ["another queue, on a day on which a person may have the token", "other_day", back.id, tomorrow],
])("a transfer to %s: %s", async (_, outcome, queueId, date) => {
  const before = entry(1, { date });
  const store = await withEntries(before, entry(5, { queueId: back.id }));
  const result = await store.entries.transfer(clinic.id, before.id, queueId);
  const kept = (await store.entries.get(clinic.id, before.id))?.entry;
  const transferred = { queueId: back.id, tokenSeries: "B", tokenNumber: 6, revision: 1 };
  expect(result.outcome).toBe(outcome);
  expect(kept).toMatchObject(outcome === "changed" ? transferred : before);
  expect((await store.queues.day(clinic.id, front.id, date))?.counts.WAITING).toBe(
    outcome === "changed" ? 0 : 1,
  );
});

it.each([
  ["no service", null, "changed"],
  ["an active service", consult.id, "changed"],
  ["an inactive service", retired.id, "service_unknown"],
  ["the inactive service that it has", advice.id, "changed"],
  ["a service of another business", haircut.id, "service_unknown"],
])("a correction takes %s: %s", async (_, serviceId, outcome) => {
  const before = entry(1, { serviceId: advice.id });
  const store = await withEntries(before);
  await store.services.change(clinic.id, advice.id, { active: false });
  const correction = { ...corrected, serviceId, workMinutes: 5 };
  const result = await store.entries.correct(clinic.id, before.id, correction);
  expect(result.outcome).toBe(outcome);
  const kept = (await store.entries.get(clinic.id, before.id))?.entry;
  expect(kept).toMatchObject(outcome === "changed" ? correction : before);
});
