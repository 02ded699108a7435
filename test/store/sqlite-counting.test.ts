import { type EntryStatus, entryStatuses } from "@queue-api/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Entry } from "../../server/src/rules/records.js";
import type { Store } from "../../server/src/store/store.js";
import { memory, sqlite } from "./support/adapters.js";
import { clinic, entry, front, importOf, today, token } from "./support/records.js";

/*
 * The SQLite store never counts the rows of a day: triggers maintain the sums. The days here are long enough for
 * blocks of every level, with gaps, and every result is compared with a recount by the model.
 */

const longDays: fc.Arbitrary<Entry[]> = fc
  .array(
    fc.record({
      gap: fc.integer({ min: 1, max: 12 }),
      status: fc.oneof(
        { weight: 3, arbitrary: fc.constant<EntryStatus>("WAITING") },
        { weight: 1, arbitrary: fc.constantFrom(...entryStatuses) },
      ),
      priority: fc.boolean(),
      workMinutes: fc.option(fc.nat({ max: 90 })),
      minutes: fc.nat({ max: 60 }),
    }),
    { minLength: 300, maxLength: 600, size: "max" },
  )
  .map((people) => {
    let number = 0;
    return people.map(({ gap, status, priority, workMinutes, minutes }) => {
      number += gap;
      const startedAt = status === "COMPLETED" ? 1000 : null;
      const completedAt = startedAt === null ? null : startedAt + minutes * 60_000;
      return entry(number, { status, priority, workMinutes, startedAt, completedAt });
    });
  });

const steps = fc.array(
  fc.record({
    move: fc.constantFrom("cancel", "call", "complete", "no-show", "issue"),
    who: fc.nat(),
  }),
  { maxLength: 60, size: "max" },
);

type Steps = typeof steps extends fc.Arbitrary<infer Value> ? Value : never;

async function live(store: Store, day: readonly Entry[], changes: Steps): Promise<void> {
  const part = importOf(clinic, { queues: [front], entries: day });
  await store.businesses.import([part], { replace: true });
  for (const [index, { move, who }] of changes.entries()) {
    const chosen = day[who % day.length];
    if (move === "issue") {
      const request = token(`new${index}`, { priority: who % 2 === 0 });
      await store.entries.issue(clinic.id, request);
    } else if (chosen) {
      await store.entries.move(clinic.id, chosen.id, move, 600_000);
    }
  }
}

/** All counts of a day, and the position of each entry. */
async function counted(store: Store, day: readonly Entry[]): Promise<unknown> {
  const page = (status: EntryStatus | null, after: string | null) =>
    store.entries.page(clinic.id, front.id, today, status, { limit: 100, after });
  const middle = day[Math.floor(day.length / 2)]?.id ?? null;
  return {
    day: await store.queues.day(clinic.id, front.id, today),
    alone: await Promise.all(day.map(({ id }) => store.entries.get(clinic.id, id))),
    pages: [await page(null, null), await page(null, middle), await page("WAITING", middle)],
  };
}

describe("the sums of the sqlite store", () => {
  it("equal a recount after any operations on a long day", async () => {
    const model = await memory.open();
    const tested = await sqlite.open();
    try {
      await fc.assert(
        fc.asyncProperty(longDays, steps, async (day, changes) => {
          await live(model.store, day, changes);
          await live(tested.store, day, changes);
          expect(await counted(tested.store, day)).toEqual(await counted(model.store, day));
        }),
        { numRuns: 8 },
      );
    } finally {
      await model.dispose();
      await tested.dispose();
    }
  });

  it("give an entry behind thousands its position without counting them", async () => {
    const { store, dispose } = await sqlite.open();
    try {
      const day = Array.from({ length: 5000 }, (_, n) =>
        entry(n + 1, { workMinutes: n % 2 ? 3 : null, priority: n % 1000 === 999 }),
      );
      await live(store, day, []);
      const place = await store.entries.get(clinic.id, entry(4242).id);
      // 4,241 entries before it, and the priority entry number 5,000 after it
      expect(place?.line?.ahead).toEqual({ people: 4242, knownMinutes: 6363, unknown: 2121 });
    } finally {
      await dispose();
    }
  });
});
