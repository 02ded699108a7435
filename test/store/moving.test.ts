import { entryStatuses } from "@queue-api/contract";
import { describe, expect, it } from "vitest";
import { type Move, moved, startsOf } from "../../server/src/rules/transitions.js";
import { adapters, start } from "./support/adapters.js";
import { auditLog } from "./support/audit.js";
import {
  auditRow,
  chair,
  clinic,
  entry,
  front,
  id,
  importOf,
  kiosk,
  salon,
  today,
  token,
  tomorrow,
} from "./support/records.js";
import { freshStore } from "./support/store.js";

const moves: readonly Move[] = [
  ...(["cancel", "call", "call-again", "complete", "no-show", "requeue", "undo"] as const),
];
const now = start + 1000;

describe.each(adapters)("moving entries in the $name store", (adapter) => {
  const opened = freshStore(adapter);

  async function withEntries(entries: readonly ReturnType<typeof entry>[]) {
    const { store } = opened();
    const part = importOf(clinic, { keys: [kiosk], queues: [front], entries });
    await store.businesses.import([part], { replace: true });
    return store;
  }

  const cases = moves.flatMap((move) => entryStatuses.map((status) => ({ move, status })));

  it.each(cases.filter(({ move, status }) => startsOf(move).includes(status)))(
    "accepts $move from $status",
    async ({ move, status }) => {
      const before = entry(1, { status });
      const store = await withEntries([before]);
      const outcome = await store.entries.move(clinic.id, before.id, move, now, {
        audit: auditRow("1"),
      });
      const after = moved(before, move, { now });
      expect(outcome).toEqual({ outcome: "moved", entry: after });
      expect((await store.entries.get(clinic.id, before.id))?.entry).toEqual(after);
      expect(await auditLog(store, clinic.id, 10)).toEqual([auditRow("1")]);
    },
  );

  it.each(cases.filter(({ move, status }) => !startsOf(move).includes(status)))(
    "refuses $move from $status and stores nothing",
    async ({ move, status }) => {
      const before = entry(1, { status });
      const store = await withEntries([before]);
      const outcome = await store.entries.move(clinic.id, before.id, move, now, {
        audit: auditRow("1"),
      });
      expect(outcome).toEqual({ outcome: "invalid_state", status });
      expect((await store.entries.get(clinic.id, before.id))?.entry).toEqual(before);
      expect(await auditLog(store, clinic.id, 10)).toEqual([]);
    },
  );

  it("does not find the entry of another business", async () => {
    const store = await withEntries([entry(1)]);
    const moved = store.entries.move(salon.id, entry(1).id, "cancel", now, {
      audit: auditRow("1"),
    });
    expect(await moved).toEqual({ outcome: "not_found" });
    expect(await store.entries.move(clinic.id, id("none"), "cancel", now)).toEqual({
      outcome: "not_found",
    });
  });

  it("accepts one of many concurrent cancellations", async () => {
    const store = await withEntries([entry(1)]);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => store.entries.move(clinic.id, entry(1).id, "cancel", now)),
    );
    expect(outcomes.filter(({ outcome }) => outcome === "moved")).toHaveLength(1);
  });

  it("moves all entries behind up when an entry leaves the line", async () => {
    const { store } = opened();
    for (const name of ["one", "two", "three"]) await store.entries.issue(clinic.id, token(name));
    await store.entries.move(clinic.id, id("two"), "cancel", now);
    expect((await store.entries.get(clinic.id, id("three")))?.line?.ahead.people).toBe(1);
    await store.entries.move(clinic.id, id("one"), "call", now);
    expect((await store.entries.get(clinic.id, id("three")))?.line).toEqual({
      ahead: { people: 0, knownMinutes: 0, unknown: 0 },
      pace: { inService: 1, finished: 0, finishedMs: 0 },
    });
  });

  it("calls priority first, then token order, until the line is empty", async () => {
    const store = await withEntries([
      entry(1, { status: "NO_SHOW" }),
      entry(2),
      entry(3, { priority: true }),
      entry(4, { date: tomorrow }),
    ]);
    const call = () => store.entries.callNext(clinic.id, front.id, today, now);
    const called = { status: "IN_SERVICE", startedAt: now, revision: 1, calls: 1 } as const;
    expect(await call()).toEqual(entry(3, { priority: true, ...called }));
    expect((await call())?.tokenNumber).toBe(2);
    expect(await call()).toBeNull();
  });

  it.each([true, false])(
    "counts an entry once when its priority is set to %s again",
    async (same) => {
      const store = await withEntries([entry(1, { priority: same }), entry(2), entry(3)]);
      expect(await store.entries.setPriority(clinic.id, entry(1).id, same)).toMatchObject({
        outcome: "moved",
      });
      const found = await store.entries.get(clinic.id, entry(3).id);
      expect(found?.line?.ahead.people).toBe(2);
      await store.entries.issue(clinic.id, token("next"));
      const next = await store.entries.get(clinic.id, id("next"));
      expect(next?.line?.ahead.people).toBe(3);
      const receipt = await store.entries.issue(clinic.id, token("after"));
      expect(receipt).toMatchObject({ receipt: expect.stringContaining('"position":5') });
    },
  );

  it("calls no entry from a queue of another business", async () => {
    const { store } = opened();
    await store.entries.issue(salon.id, token("t", { queueId: chair.id }));
    expect(await store.entries.callNext(clinic.id, chair.id, today, now)).toBeNull();
  });

  it("calls each entry once under concurrent calls of several counters", async () => {
    const store = await withEntries([entry(1), entry(2), entry(3)]);
    const called = await Promise.all(
      Array.from({ length: 5 }, () => store.entries.callNext(clinic.id, front.id, today, now)),
    );
    const nobody = Number.POSITIVE_INFINITY;
    const numbers = called.map((entry) => entry?.tokenNumber ?? nobody);
    expect(numbers.sort((a, b) => a - b)).toEqual([1, 2, 3, nobody, nobody]);
  });
});
