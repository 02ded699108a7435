import type { Store } from "@queue-api/server";
import { describe, expect, test } from "vitest";
import { LineAnswers, type ReadOfLine } from "../../server/src/store/mongo/line-answers.js";
import type { LineMarks } from "../../server/src/store/mongo/line-marks.js";
import { customer1 } from "../support/client.js";
import { withDatabase } from "../support/mongo.js";
import { wideKey } from "../support/seed.js";
import { startWatched } from "./support/watched.js";

/** Writes the deferred reports of the store, so that its changes are no longer pending. */
async function settle(store: Store): Promise<void> {
  await store.copying.dump("services", null);
}

type AtEnd = Parameters<typeof startWatched>[0];

/** A service with one waiting entry, which was read and can be cached. */
async function withOneRead(atEnd: AtEnd) {
  const watched = await startWatched(atEnd, { keys: [wideKey] });
  const { clinic, store, url } = watched;
  const client = clinic.client();
  const queue = clinic.queue();
  const { id } = (await client.create(queue, customer1)).data;
  await settle(store);
  const read = async () => (await client.entry(id)).data;
  await read();
  const cancelUnseen = () =>
    withDatabase(url, (db) =>
      db.collection("entries").updateOne({ _id: id as never }, { $set: { status: "CANCELED" } }),
    );
  /** Sets fields of the line, as another instance would with its revision. */
  const setLine = (fields: Record<string, unknown>) =>
    withDatabase(url, (db) => {
      const set = Object.entries(fields).map(([name, value]) => [`lines.${queue}.${name}`, value]);
      return db
        .collection("days")
        .updateOne({ businessId: clinic.id }, { $set: Object.fromEntries(set) });
    });
  return { ...watched, client, queue, id, read, cancelUnseen, setLine };
}

describe("a cached read of a line", () => {
  test("is reused while the version of the line is the same", async ({ onTestFinished }) => {
    const { read, cancelUnseen, during } = await withOneRead(onTestFinished);
    await cancelUnseen(); // the service never changes an entry without its line
    const commands = await during(async () => {
      expect(await read()).toMatchObject({ status: "WAITING", position: 1 });
    });
    expect(commands).toEqual(["findAndModify keys", "find days"]);
  });

  test("is not reused when the version of the line has changed", async ({ onTestFinished }) => {
    const { client, queue, id, read, during } = await withOneRead(onTestFinished);
    await client.create(queue, { ...customer1, name: "Another" });
    await client.cancel(id);
    const commands = await during(async () => {
      expect(await read()).toMatchObject({ status: "CANCELED", position: null });
    });
    expect(commands).toEqual(["findAndModify keys", "find days", "aggregate entries"]);
  });

  test.for([
    ["a change is pending", { open: { other: { n: 1, turn: 1, at: Number.MAX_SAFE_INTEGER } } }],
    ["a command may still arrive", { lateUntil: Number.MAX_SAFE_INTEGER }],
    ["the line was written by a release without stamps", { stamp: null }],
  ] as const)("is not stored when %s", async ([, fields], { onTestFinished }) => {
    const { read, cancelUnseen, setLine } = await withOneRead(onTestFinished);
    await setLine({ ...fields, revision: 1_000 });
    expect(await read()).toMatchObject({ status: "WAITING" });
    await cancelUnseen();
    expect(await read()).toMatchObject({ status: "CANCELED" });
  });

  test("is not reused when the business was replaced, although its revisions restart", async ({
    onTestFinished,
  }) => {
    const { url, clinic, store, read, cancelUnseen } = await withOneRead(onTestFinished);
    await settle(store);
    await withDatabase(url, async (db) => {
      const days = db.collection("days");
      const [day] = await days.find({ businessId: clinic.id }).toArray();
      const lines = Object.entries(day?.lines as Record<string, object>);
      const anew = lines.map(([queueId, line]) => [queueId, { ...line, stamp: "of the import" }]);
      await days.updateOne(
        { businessId: clinic.id },
        { $set: { lines: Object.fromEntries(anew) } },
      );
    });
    await cancelUnseen();
    expect(await read()).toMatchObject({ status: "CANCELED" });
  });
});

test("the cache of answers is bounded, and the least recently used answer is evicted first", async () => {
  const place = { businessId: "b", date: "d", queueId: "q" };
  const marks = { current: async () => "mark" } as unknown as LineMarks;
  const answers = new LineAnswers(marks, { answers: 3, bytes: 100 });
  const reads: string[] = [];
  const ask = (question: string, bytes = 10, mark: string | null = "mark") =>
    answers.answer([question], async (): Promise<ReadOfLine<string>> => {
      reads.push(question);
      return { answer: question, place, mark, bytes };
    });
  for (const question of ["a", "b", "c", "a", "d", "a", "b"]) await ask(question);
  expect(reads).toEqual(["a", "b", "c", "d", "b"]);
  expect(answers.size).toEqual({ answers: 3, bytes: 30 });
  await ask("large", 95);
  expect(answers.size).toEqual({ answers: 1, bytes: 95 });
  await ask("too large", 101);
  expect(answers.size).toEqual({ answers: 0, bytes: 0 });
  await ask("unsettled", 10, null);
  expect(answers.size).toEqual({ answers: 0, bytes: 0 });
});
