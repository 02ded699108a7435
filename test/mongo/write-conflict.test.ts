import { describe, expect, type OnTestFinishedHandler, onTestFinished, test } from "vitest";
import { readReceipt } from "../../server/src/rules/entry-answer.js";
import { openMongo } from "../../server/src/store/mongo/open-mongo.js";
import { insertEach } from "../../server/src/store/mongo/unavailable.js";
import { clinic, front, importOf, linkOf, owner, token } from "../store/support/records.js";
import { mongoDatabase, withDatabase } from "../support/mongo.js";
import { type Command, nameOf } from "./support/watched.js";
import { Wire } from "./support/wire.js";

/** A store whose database ends writes on request. */
async function opened(atEnd: (end: OnTestFinishedHandler) => void) {
  const database = mongoDatabase();
  atEnd(database.remove);
  const wire = await Wire.to(database.url);
  atEnd(() => wire.close());
  const commands: Command[] = [];
  const store = await openMongo(wire.url, {
    prepare: "always",
    onCommand: (command) => commands.push(command),
  });
  atEnd(() => store.close());
  await store.businesses.import([importOf(clinic, { queues: [front] })], { replace: false });
  const anna = owner("anna");
  const addAnna = () => store.accounts.add(clinic.id, anna, linkOf(anna, Date.now() + 3_600_000));
  const sent = (name: string) => commands.filter((command) => nameOf(command) === name).length;
  return { wire, store, addAnna, sent };
}

describe("a write that the server ends because it conflicts with another one", () => {
  test.each([
    { server: "MongoDB", code: 112 },
    { server: "FerretDB", code: 16_908_292 },
  ])("is sent again if it is an insert, with the code of $server", async ({ code }) => {
    const { wire, addAnna, sent } = await opened(onTestFinished);
    wire.conflictNext("insert owners", { code });
    expect(await addAnna()).toBe("added");
    expect(sent("insert owners")).toBe(2);
  });

  test("is sent again if it is a change that returns the document", async ({ onTestFinished }) => {
    const { wire, store } = await opened(onTestFinished);
    await store.entries.issue(clinic.id, token("first"));
    wire.conflictNext("findAndModify days", { times: 2 });
    const issued = await store.entries.issue(clinic.id, token("second"));
    if (!("receipt" in issued)) throw new Error(issued.outcome);
    expect(readReceipt(issued.receipt).data.tokenNumber).toBe(2);
  });

  test("is sent again if it is one of several inserts", async ({ onTestFinished }) => {
    const { wire } = await opened(onTestFinished);
    const stored = await withDatabase(wire.url, async (db) => {
      const things = db.collection<{ _id: string }>("things");
      await things.insertOne({ _id: "b" });
      wire.conflictNext("insert things", { writes: 2 });
      return Promise.all(await insertEach(things, [{ _id: "a" }, { _id: "b" }]));
    });
    expect(stored).toEqual([null, "_id_"]);
  });

  test("is sent five times at most", async ({ onTestFinished }) => {
    const { wire, addAnna, sent } = await opened(onTestFinished);
    wire.conflictNext("insert owners", { times: 100 });
    await expect(addAnna()).rejects.toMatchObject({ code: 112 });
    expect(sent("insert owners")).toBe(5);
  });
});
