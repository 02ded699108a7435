import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DayDoc } from "../../server/src/store/mongo/collections/days.js";
import { giveNumbers } from "../../server/src/store/mongo/line-pipeline.js";
import { mongoDatabase, withDatabase } from "../support/mongo.js";

const tokens = fc.array(
  fc.record({
    priority: fc.boolean(),
    workMinutes: fc.option(fc.integer({ min: 1, max: 60 })),
    dailyTokenLimit: fc.constantFrom(null, 3, 140),
  }),
  { minLength: 2, maxLength: 6 },
);

/** The last numbers around the border of a block, and the first of a day. */
const lasts = fc.constantFrom(0, 125, 127, 128);

const queueId = "front";

describe("the numbers of a line", () => {
  test("are the same if tokens ask for them together or one after another", async ({
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
});
