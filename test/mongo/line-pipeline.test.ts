import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DayDoc } from "../../server/src/store/mongo/collections/days.js";
import { withNumbers, withReport } from "../../server/src/store/mongo/line-numbers.js";
import { emptyLine, giveNumbers } from "../../server/src/store/mongo/line-pipeline.js";
import { front } from "../store/support/records.js";
import { mongoDatabase, withDatabase } from "../support/mongo.js";

const tokens = fc.array(
  fc.record({
    priority: fc.boolean(),
    workMinutes: fc.option(fc.integer({ min: 1, max: 60 })),
    dailyTokenLimit: fc.constantFrom(null, 3, 140),
  }),
  { minLength: 2, maxLength: 6 },
);

/** Last numbers around the border of a block, and 0 at the start of a day. */
const lasts = fc.constantFrom(0, 125, 127, 128);

const queueId = "front";

const newcomer = {
  ...{ businessId: "clinic", date: "2026-11-22", serviceAsked: false, service: null },
  queue: { ...front, id: queueId },
};

/** Lines that other processes have changed. */
const lines = fc.record({
  first: fc.constantFrom([], [{ b: 0, w: 2, m: 10, u: 0 }]),
  others: fc.constantFrom(
    [],
    [
      { b: 0, w: 120, m: 0, u: 120 },
      { b: 1, w: 1, m: 5, u: 0 },
    ],
  ),
  epoch: fc.constantFrom(0, 1),
  doubt: fc.boolean(),
  open: fc.constantFrom({}, { two: { n: 1, turn: 7, at: 5 } }, { one: { n: 3, turn: 9, at: 5 } }),
});

const reports = fc.record({
  instance: fc.constant("one"),
  open: fc.nat(5),
  turn: fc.constantFrom(8, 9, 10),
  epochs: fc.constantFrom([], [0], [0, 1]),
  doubt: fc.boolean(),
});

describe("the numbers of a line", () => {
  test("are the same whether they are assigned together or one after another", async ({
    onTestFinished,
  }) => {
    const { url, remove } = mongoDatabase();
    onTestFinished(remove);
    await withDatabase(url, async (db) => {
      const days = db.collection<DayDoc>("days");
      const give = async (_id: string, asked: Parameters<typeof giveNumbers>[1]) => {
        const report = { instance: "one", open: 1, turn: 1, epochs: [], doubt: false };
        await days.updateOne({ _id }, giveNumbers(queueId, asked, report, { $toLong: "$$NOW" }));
      };
      const counted = async (_id: string) => {
        const day = await days.findOne({ _id });
        const { revision, stamp, open, ...line } = day?.lines[queueId] ?? { revision: 0 };
        return { created: day?.created, line };
      };
      await fc.assert(
        fc.asyncProperty(lasts, tokens, async (last, asked) => {
          const id = { businessId: "clinic", date: "2026-11-22" };
          const day = { ...id, created: last, lines: {} };
          await days.deleteMany({});
          await days.insertMany([
            { _id: "together", ...day },
            { _id: "apart", ...day },
          ]);
          const first = [{ priority: false, workMinutes: 5, dailyTokenLimit: null }];
          for (const _id of ["together", "apart"]) await give(_id, first);
          await days.updateMany({}, { $set: { [`lines.${queueId}.last`]: last } });
          await give("together", asked);
          for (const one of asked) await give("apart", [one]);
          expect(await counted("apart")).toEqual(await counted("together"));
        }),
        { numRuns: 40 },
      );
    });
  });

  test("are the same whether they are computed inside or outside the database", async ({
    onTestFinished,
  }) => {
    const { url, remove } = mongoDatabase();
    onTestFinished(remove);
    const now = Date.UTC(2026, 10, 22);
    await withDatabase(url, async (db) => {
      const days = db.collection<DayDoc>("days");
      await fc.assert(
        fc.asyncProperty(lasts, lines, tokens, reports, async (last, changes, asked, report) => {
          const line = { ...emptyLine, stamp: "two 7", ...changes, last };
          const before = { created: last, lines: { [queueId]: line } };
          await days.deleteMany({});
          await days.insertOne({ _id: "day", businessId: "clinic", date: "2026-11-22", ...before });
          const pipeline = giveNumbers(queueId, asked, report, { $literal: now });
          await days.updateOne({ _id: "day" }, pipeline);
          const day = await days.findOne({ _id: "day" });
          const newcomers = asked.map((token) => ({ ...newcomer, ...token }));
          const { after } = withNumbers({ created: last, line }, newcomers);
          expect(day?.created).toBe(after.created);
          expect(day?.lines[queueId]).toEqual(withReport(after.line, report, now));
        }),
        { numRuns: 60 },
      );
    });
  });
});
