import { randomBytes } from "node:crypto";
import { openStore } from "@queue-api/server";
import { expect, test } from "vitest";
import { clinic, entry, front, importOf, today } from "../store/support/records.js";
import { mongoDatabase, withDatabase } from "../support/mongo.js";

/** Three waiting entries, one of them with priority, in three blocks of the line. */
async function lineOfThree(atEnd: (end: () => Promise<void>) => void) {
  const { url, remove } = mongoDatabase();
  atEnd(remove);
  const store = await openStore(url, { random: randomBytes });
  atEnd(() => store.close());
  const entries = [entry(1), entry(200), entry(400, { priority: true })];
  await store.businesses.import([importOf(clinic, { queues: [front], entries })], {
    replace: false,
  });
  const setLine = (fields: Record<string, unknown>) =>
    withDatabase(url, (db) => {
      const set = Object.entries(fields).map(([name, value]) => [
        `lines.${front.id}.${name}`,
        value,
      ]);
      return db.collection("days").updateOne({}, { $set: Object.fromEntries(set) });
    });
  const next = () => store.entries.callNext(clinic.id, front.id, today, Date.now());
  const calledTo = async (count: number) => {
    const numbers: (number | null)[] = [];
    for (let n = 0; n < count; n++) numbers.push((await next())?.tokenNumber ?? null);
    return numbers;
  };
  return { url, store, setLine, next, calledTo };
}

test("priority entries are called first, then the others by token number", async ({
  onTestFinished,
}) => {
  const { calledTo } = await lineOfThree(onTestFinished);
  expect(await calledTo(4)).toEqual([400, 1, 200, null]);
});

test("an entry that a pending change has removed from the counts is still called", async ({
  onTestFinished,
}) => {
  const { setLine, calledTo } = await lineOfThree(onTestFinished);
  // Another instance began to call the priority entry, and has not changed the entry yet.
  const open = { other: { n: 1, turn: 1, at: Number.MAX_SAFE_INTEGER } };
  await setLine({ first: [], IN_SERVICE: 1, open });
  expect(await calledTo(4)).toEqual([400, 1, 200, null]);
});

test("an entry that is counted and no longer waiting is skipped", async ({ onTestFinished }) => {
  const { url, calledTo } = await lineOfThree(onTestFinished);
  await withDatabase(url, (db) =>
    db.collection("entries").updateOne({ priority: true }, { $set: { status: "CANCELED" } }),
  );
  expect(await calledTo(3)).toEqual([1, 200, null]);
});
