import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { LinePart } from "../../server/src/store/port/boards.js";
import type { Store } from "../../server/src/store/store.js";
import { type Adapter, adapters, start } from "./support/adapters.js";
import {
  back,
  chair,
  clinic,
  consult,
  entry,
  front,
  haircut,
  id,
  salon,
  settle,
  today,
  token,
  tomorrow,
} from "./support/records.js";
import { boardWork, type Run } from "./support/sequences.js";
import { freshStore } from "./support/store.js";

const now = start + 60_000;
const firstFew = { limit: 3, part: null };

const numbers = (entries: readonly { readonly tokenNumber: number }[]) =>
  entries.map(({ tokenNumber }) => tokenNumber);

describe.each(adapters)("the board in the $name store", (adapter) => {
  const opened = freshStore(adapter);
  let store: Store;
  beforeEach(() => {
    ({ store } = opened());
  });

  async function withEntries(entries: readonly ReturnType<typeof entry>[]) {
    ({ store } = await opened.with({ services: [consult], entries }));
  }

  it("has each queue with its counts, and the people in the order of calling", async () => {
    await withEntries([
      entry(1, { status: "COMPLETED", startedAt: start, completedAt: now }),
      entry(2, { status: "IN_SERVICE", startedAt: start + 2 }),
      entry(3, { status: "IN_SERVICE", startedAt: start + 1 }),
      entry(4, { workMinutes: 5 }),
      entry(5, { priority: true, workMinutes: 10 }),
      entry(6),
      entry(7, { date: tomorrow }),
    ]);
    const board = await store.boards.get(clinic.id, today, firstFew);
    expect(board.services).toEqual([consult]);
    expect(board.queues.map(({ queue }) => queue)).toEqual([front, back]);
    const [desk, room] = board.queues;
    expect(desk?.counts).toEqual({
      ...{ WAITING: 3, IN_SERVICE: 2, COMPLETED: 1, CANCELED: 0, NO_SHOW: 0 },
    });
    expect(desk?.pace).toEqual({ inService: 2, finished: 1, finishedMs: 60_000 });
    expect(desk?.averageWaitMinutes).toBe(4); // of 0, 5 and 7.5 rounded up
    expect(desk?.next).toEqual(entry(5, { priority: true, workMinutes: 10 }));
    expect(numbers(desk?.inService ?? [])).toEqual([3, 2]);
    expect(desk?.line).toEqual([
      entry(5, { priority: true, workMinutes: 10 }),
      entry(4, { workMinutes: 5 }),
      entry(6),
    ]);
    expect(room).toEqual({
      queue: back,
      counts: { WAITING: 0, IN_SERVICE: 0, COMPLETED: 0, CANCELED: 0, NO_SHOW: 0 },
      pace: { inService: 0, finished: 0, finishedMs: 0 },
      ...{ averageWaitMinutes: null, inService: [], next: null, line: [] },
    });
  });

  it("has the first part of a long line, or the requested part", async () => {
    const many = (queueId: string, from: number) =>
      [0, 1, 2, 3, 4].map((at) =>
        entry(1 + at, { queueId, id: id(`${queueId}${at}`), placeInDay: from + at }),
      );
    await withEntries([...many(front.id, 1), ...many(back.id, 6)]);
    const shown = async (part: LinePart | null) => {
      const { queues } = await store.boards.get(clinic.id, today, { limit: 3, part });
      for (const { counts, next } of queues)
        expect([counts.WAITING, next?.tokenNumber]).toEqual([5, 1]);
      return queues.map(({ line }) => numbers(line));
    };
    const queueId = back.id;
    const first = [1, 2, 3];
    expect(await shown(null)).toEqual([first, first]);
    expect(await shown({ queueId, from: 1, limit: 9 })).toEqual([first, [1, 2, 3, 4, 5]]);
    expect(await shown({ queueId, from: 2, limit: 2 })).toEqual([first, [2, 3]]);
    expect(await shown({ queueId, from: 5, limit: 2 })).toEqual([first, [5]]);
    expect(await shown({ queueId, from: 6, limit: 2 })).toEqual([first, []]);
  });

  it("has nothing of another business", async () => {
    await store.entries.issue(salon.id, token("t", { queueId: chair.id }));
    const { queues, services } = await store.boards.get(clinic.id, today, firstFew);
    expect(queues.map(({ queue }) => queue.id)).toEqual([front.id, back.id]);
    expect(services.map(({ id }) => id)).not.toContain(haircut.id);
    expect(await store.boards.get(id("nobody"), today, firstFew)).toMatchObject({ queues: [] });
  });

  describe("gives priority", () => {
    it("to a waiting entry, before all others, and removes it again", async () => {
      await withEntries([entry(1), entry(2), entry(3)]);
      const given = await store.entries.setPriority(clinic.id, entry(3).id, true);
      expect(given).toEqual({ outcome: "moved", entry: entry(3, { priority: true, revision: 1 }) });
      expect((await store.entries.get(clinic.id, entry(3).id))?.line?.ahead.people).toBe(0);
      expect((await store.entries.get(clinic.id, entry(1).id))?.line?.ahead.people).toBe(1);
      await store.entries.setPriority(clinic.id, entry(3).id, false);
      expect((await store.entries.get(clinic.id, entry(3).id))?.line?.ahead.people).toBe(2);
    });

    it("any number of times, and counts the entry once", async () => {
      await withEntries([entry(1), entry(2), entry(300)]);
      for (const priority of [false, true, true]) {
        await store.entries.setPriority(clinic.id, entry(2).id, priority);
      }
      expect((await store.entries.get(clinic.id, entry(1).id))?.line?.ahead.people).toBe(1);
      expect((await store.entries.get(clinic.id, entry(300).id))?.line?.ahead.people).toBe(2);
      expect((await store.queues.day(clinic.id, front.id, today))?.counts.WAITING).toBe(3);
    });

    it("only to a waiting entry of the same business", async () => {
      await withEntries([entry(1, { status: "CANCELED" }), entry(2)]);
      expect(await store.entries.setPriority(clinic.id, entry(1).id, true)).toEqual({
        outcome: "invalid_state",
        status: "CANCELED",
      });
      for (const [business, entryId] of [
        [salon.id, entry(2).id],
        [clinic.id, id("none")],
      ] as const) {
        expect(await store.entries.setPriority(business, entryId, true)).toEqual({
          outcome: "not_found",
        });
      }
      expect((await store.entries.get(clinic.id, entry(2).id))?.entry.priority).toBe(false);
    });
  });

  describe("calls an entry if it is next", () => {
    it("and no other entry", async () => {
      await withEntries([entry(1), entry(2), entry(3, { priority: true })]);
      const call = (number: number) => store.entries.callIfNext(clinic.id, entry(number).id, now);
      expect(await call(1)).toEqual({ outcome: "not_next" });
      expect(await call(3)).toEqual({
        outcome: "moved",
        entry: entry(3, {
          ...{ priority: true, status: "IN_SERVICE", startedAt: now, revision: 1, calls: 1 },
        }),
      });
      expect(await call(3)).toEqual({ outcome: "invalid_state", status: "IN_SERVICE" });
      expect(await call(1)).toMatchObject({ outcome: "moved" });
    });

    it("once, under concurrent calls", async () => {
      await withEntries([entry(1), entry(2)]);
      const calls = Array.from({ length: 10 }, () =>
        store.entries.callIfNext(clinic.id, entry(1).id, now),
      );
      const outcomes = (await Promise.all(calls)).map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === "moved")).toHaveLength(1);
      expect((await store.entries.get(clinic.id, entry(2).id))?.entry.status).toBe("WAITING");
    });

    it("and never an entry of another business", async () => {
      await withEntries([entry(1)]);
      expect(await store.entries.callIfNext(salon.id, entry(1).id, now)).toEqual({
        outcome: "not_found",
      });
    });
  });

  describe("has a version", () => {
    const version = () => store.boards.version(clinic.id, today);

    it.each([
      ["a token is issued", () => store.entries.issue(clinic.id, token("one"))],
      ["an entry is called", () => store.entries.callNext(clinic.id, front.id, today, now)],
      ["an entry is canceled", () => store.entries.move(clinic.id, entry(1).id, "cancel", now)],
      ["an entry gets priority", () => store.entries.setPriority(clinic.id, entry(1).id, true)],
      ["a person is moved", () => store.entries.transfer(clinic.id, entry(1).id, back.id)],
      ["the queues are reordered", () => store.queues.reorder(clinic.id, [back.id, front.id])],
      [
        "a queue is paused",
        () => store.queues.change(clinic.id, front.id, { isTokenCreationPaused: true }),
      ],
      ["a queue is added", () => store.queues.add(clinic.id, { ...front, id: id("new") })],
      [
        "a service is renamed",
        () => store.services.change(clinic.id, consult.id, { name: "Checkup" }),
      ],
    ])("that differs after %s", async (_, change) => {
      await withEntries([entry(1), entry(2)]);
      const before = await version();
      await change();
      const after = await version();
      expect(after).not.toBe(before);
      expect((await store.boards.get(clinic.id, today, firstFew)).version).toBe(after);
    });

    it("that does not change with another business", async () => {
      await withEntries([entry(1)]);
      const before = await version();
      await store.entries.issue(salon.id, token("salon", { queueId: chair.id }));
      await store.entries.issue(clinic.id, token("tomorrow", { date: tomorrow }));
      await store.businesses.change(salon.id, { apiAccess: false });
      expect(await version()).toBe(before);
    });

    it("that changes whenever the board changes", async () => {
      await fc.assert(
        fc.asyncProperty(boardWork, (operations) => followsEveryChange(adapter, operations)),
        { numRuns: adapter.inOrder ? 60 : 10 },
      );
    });
  });
});

type Operations = typeof boardWork extends fc.Arbitrary<infer Value> ? Value : never;

/** Does the work step by step. Whenever the board changes, its version must change. */
async function followsEveryChange(adapter: Adapter, operations: Operations): Promise<void> {
  const { store, clock, dispose } = await adapter.open();
  try {
    await settle(store);
    const on: Run = { store, clock, imports: 0, made: 0 };
    const seen = new Map<string, string>();
    for (const operation of operations) {
      await operation.run(on);
      const whole = { limit: 100, part: null };
      const { version, ...shown } = await store.boards.get(clinic.id, today, whole);
      const text = JSON.stringify(shown);
      expect(seen.get(version) ?? text).toBe(text);
      seen.set(version, text);
    }
  } finally {
    await dispose();
  }
}
