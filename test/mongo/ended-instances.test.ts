import { describe, expect, test } from "vitest";
import { customer1 } from "../support/client.js";
import { withDatabase } from "../support/mongo.js";
import { startWatched, type Watched } from "./support/watched.js";

type Reports = Record<string, { readonly n: number; readonly at: number; readonly turn: number }>;

/** Adds reports of other instances to the only line, and returns the line's reports after the next creation. */
async function reportsAfter({ url, store, clinic }: Watched, others: Reports): Promise<Reports> {
  const queue = clinic.queue();
  await clinic.client().create(queue, customer1);
  const fields = Object.entries(others).map(([id, report]) => [
    `lines.${queue}.open.${id}`,
    report,
  ]);
  const add = { $set: Object.fromEntries(fields) };
  await withDatabase(url, (db) => db.collection("days").updateMany({}, add));
  await clinic.client().create(queue, customer1);
  await store.copying.dump("services", null); // writes the deferred reports
  const day = await withDatabase(url, (db) => db.collection("days").findOne({}));
  return day?.lines[queue].open;
}

describe("a line", () => {
  test("drops the reports of 200 instances that have ended", async ({ onTestFinished }) => {
    const watched = await startWatched(onTestFinished);
    const now = await watched.store.now();
    const ended = (at: number) => ({ n: 0, at, turn: 7 });
    const longAgo = Array.from({ length: 200 }, (_, n) => [`ended${n}`, ended(now - 600_000)]);
    const reports = await reportsAfter(watched, {
      ...Object.fromEntries(longAgo),
      justNow: ended(now),
      busy: { n: 1, at: now + 60_000, turn: 7 },
    });
    const others = Object.keys(reports).filter((id) => id.length < 24);
    expect(others.toSorted()).toEqual(["busy", "justNow"]);
    expect(Object.keys(reports)).toHaveLength(3);
  });
});
