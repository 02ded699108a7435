import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../server/src/operations/store.js";
import { type Adapter, adapters, start } from "./support/adapters.js";
import type { Run } from "./support/operation.js";
import {
  chair,
  clinic,
  consult,
  entry,
  salon,
  settle,
  today,
  token,
  tomorrow,
} from "./support/records.js";
import { boardWork } from "./support/sequences.js";
import { freshStore } from "./support/store.js";

const now = start + 60_000;

describe.each(adapters)("the board in the $name store", (adapter) => {
  const opened = freshStore(adapter);
  let store: Store;
  beforeEach(() => {
    ({ store } = opened());
  });

  async function withEntries(entries: readonly ReturnType<typeof entry>[]) {
    ({ store } = await opened.with({ services: [consult], entries }));
  }

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
        { numRuns: adapter.name === "memory" ? 60 : 10 },
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
