import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { averageWait, packWork } from "../../server/src/rules/line.js";
import type { Entry } from "../../server/src/rules/records.js";
import type { Store } from "../../server/src/store/store.js";
import { adapters, start } from "./support/adapters.js";
import { clinic, consult, entry, front, importOf, kiosk, today } from "./support/records.js";
import { freshStore } from "./support/store.js";

/** Numbers so far apart that a short line covers many blocks of any size. */
const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 9_000 }), { minLength: 1, maxLength: 40 });

const people = numbers.chain((taken) =>
  fc.tuple(
    ...taken.map((number) =>
      fc.record({
        number: fc.constant(number),
        priority: fc.boolean(),
        work: fc.option(fc.nat(60)),
      }),
    ),
  ),
);

/** A move of the entry at a position of the list, repeated. */
const steps = fc.array(
  fc.record({
    who: fc.nat(),
    what: fc.constantFrom("call", "complete", "cancel", "no-show", "first", "last"),
    after: fc.nat(600_000),
  }),
  { maxLength: 12 },
);

/** The whole day, read page by page. */
async function dayOf(store: Store): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let after: string | null = null; ; after = entries.at(-1)?.id ?? null) {
    const page = await store.entries.page(clinic.id, front.id, today, null, { limit: 100, after });
    if (typeof page === "string") throw new Error(page);
    entries.push(...page.items.map((item) => item.entry));
    if (!page.more) return entries;
  }
}

function lineOf(day: readonly Entry[]): Entry[] {
  return day
    .filter(({ status }) => status === "WAITING")
    .sort((a, b) => Number(b.priority) - Number(a.priority) || a.tokenNumber - b.tokenNumber);
}

describe.each(adapters)("waits in the $name store", (adapter) => {
  const opened = freshStore(adapter);

  it("equal a recount of all entries, after each change and after an import", async () => {
    const { store } = opened();
    await fc.assert(
      fc.asyncProperty(people, steps, async (waiting, happenings) => {
        const entries = waiting.map(({ number, priority, work }) =>
          entry(number, { priority, workMinutes: work }),
        );
        const parts = { keys: [kiosk], services: [consult], queues: [front], entries };
        await store.businesses.import([importOf(clinic, parts)], { replace: true });
        let now = start;
        for (const { who, what, after } of [null, ...happenings].map((step) => step ?? noStep)) {
          const { id } = entries[who % entries.length] ?? entry(0);
          now += after;
          if (what === "first" || what === "last") {
            await store.entries.setPriority(clinic.id, id, what === "first");
          } else if (what !== "nothing") {
            await store.entries.move(clinic.id, id, what, now);
          }
          await expectAsWalked(store);
        }
      }),
      { numRuns: adapter.name === "sqlite" ? 25 : 3 },
    );
  });

  const noStep = { who: 0, what: "nothing", after: 0 } as const;

  async function expectAsWalked(store: Store): Promise<void> {
    const day = await store.queues.day(clinic.id, front.id, today);
    const line = lineOf(await dayOf(store));
    if (!day) throw new Error("the queue is gone");
    const work = packWork(line.map(({ workMinutes }) => workMinutes));
    expect(day.averageWaitMinutes).toBe(averageWait([work], day.pace));
    for (const from of [1, 2, line.length, line.length + 1]) {
      const part = { queueId: front.id, from: Math.max(1, from), limit: 7 };
      const board = await store.boards.get(clinic.id, today, { limit: 3, part });
      const start = part.from - 1;
      expect(board.queues[0]?.line).toEqual(line.slice(start, start + part.limit));
      expect(board.queues[0]?.next).toEqual(line[0] ?? null);
    }
  }
});
