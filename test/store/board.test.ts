import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { LinePart } from "../../server/src/store/port/boards.js";
import type { Store } from "../../server/src/store/store.js";
import { type Adapter, adapters, start } from "./support/adapters.js";
import type { Run } from "./support/operation.js";
import {
  back,
  chair,
  clinic,
  consult,
  entry,
  front,
  id,
  salon,
  settle,
  today,
  token,
  tomorrow,
} from "./support/records.js";
import { boardWork } from "./support/sequences.js";
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

  describe("calls an entry if it is next", () => {
    it("once, under concurrent calls", async () => {
      await withEntries([entry(1), entry(2)]);
      const calls = Array.from({ length: 10 }, () =>
        store.entries.move(clinic.id, entry(1).id, "next", now),
      );
      const outcomes = (await Promise.all(calls)).map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === "moved")).toHaveLength(1);
      expect((await store.entries.get(clinic.id, entry(2).id))?.entry.status).toBe("WAITING");
    });
  });

  describe("has a version", () => {
    const version = () => store.boards.version(clinic.id, today);

    it.each([
      ["a token is issued", () => store.entries.issue(clinic.id, token("one"))],
      ["an entry is called", () => store.entries.callNext(clinic.id, front.id, today, now)],
      ["an entry is canceled", () => store.entries.move(clinic.id, entry(1).id, "cancel", now)],
      ["an entry gets priority", () => store.entries.move(clinic.id, entry(1).id, "priority", now)],
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
