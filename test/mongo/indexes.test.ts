import { randomBytes } from "node:crypto";
import { openStore, StoreOpenError } from "@queue-api/server";
import { describe, expect, test } from "vitest";
import { mongoDatabase, withDatabase } from "../support/mongo.js";

const random = randomBytes;

describe("the indexes of a database", () => {
  test("are made in an empty one, and verified each time", async ({ onTestFinished }) => {
    const { url, remove } = mongoDatabase();
    onTestFinished(remove);
    await (await openStore(url, { random })).close();
    await (await openStore(url, { random, prepare: "never" })).close();
    const names = await withDatabase(url, async (db) =>
      (await db.collection("entries").indexes()).map(({ name }) => name),
    );
    expect(names).toContain("claim");
  });

  test("are not made unasked where there is data, and one that is missing is named", async ({
    onTestFinished,
  }) => {
    const { url, remove } = mongoDatabase();
    onTestFinished(remove);
    await (await openStore(url, { random })).close();
    await withDatabase(url, (db) => db.collection("entries").dropIndex("claim"));
    const missing = /index claim of the collection entries is missing.*database prepare/;
    await expect(openStore(url, { random })).rejects.toThrow(missing);
    await expect(openStore(url, { random, prepare: "never" })).rejects.toThrow(StoreOpenError);
  });

  test("are told apart when one differs", async ({ onTestFinished }) => {
    const { url, remove } = mongoDatabase();
    onTestFinished(remove);
    await withDatabase(url, (db) =>
      db.collection("appointments").createIndexes([{ name: "day", key: { date: 1 } }]),
    );
    const differs = /index day of the collection appointments differs/;
    await expect(openStore(url, { random, prepare: "always" })).rejects.toThrow(differs);
  });

  test("need a name of a database in the URL, and the URL is never quoted", async () => {
    const nameless = openStore("mongodb://user:secret@127.0.0.1:27017", { random });
    await expect(nameless).rejects.toThrow(/names no database/);
    const wrong = openStore("mongodb://user:secret@127.0.0.1:port/queue", { random });
    await expect(wrong).rejects.not.toThrow(/secret/);
    await expect(wrong).rejects.toThrow(StoreOpenError);
  });
});
