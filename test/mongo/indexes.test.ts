import { randomBytes } from "node:crypto";
import { openStore, StoreOpenError } from "@queue-api/server";
import { describe, expect, test } from "vitest";
import { mongoDatabase, withDatabase } from "../support/mongo.js";

const random = randomBytes;

describe("the indexes of a database", () => {
  test("are created in an empty database, and verified at each start", async ({
    onTestFinished,
  }) => {
    const { url, remove } = mongoDatabase();
    onTestFinished(remove);
    await (await openStore(url, { random })).close();
    await (await openStore(url, { random, prepare: "never" })).close();
    const names = await withDatabase(url, async (db) =>
      (await db.collection("entries").indexes()).map(({ name }) => name),
    );
    expect(names).toContain("key");
  });

  test("are not created in a database with data unless requested, and the error names a missing index", async ({
    onTestFinished,
  }) => {
    const { url, remove } = mongoDatabase();
    onTestFinished(remove);
    await (await openStore(url, { random })).close();
    await withDatabase(url, (db) => db.collection("entries").dropIndex("key"));
    const missing = /index key of the collection entries is missing.*database prepare/;
    await expect(openStore(url, { random })).rejects.toThrow(missing);
    await expect(openStore(url, { random, prepare: "never" })).rejects.toThrow(StoreOpenError);
  });

  test("are refused if one differs, and the error names it", async ({ onTestFinished }) => {
    const { url, remove } = mongoDatabase();
    onTestFinished(remove);
    await withDatabase(url, (db) =>
      db.collection("windows").createIndexes([{ name: "end", key: { date: 1 } }]),
    );
    const differs = /index end of the collection windows differs/;
    await expect(openStore(url, { random, prepare: "always" })).rejects.toThrow(differs);
  });

  test("need a URL that names a database, and errors never quote the URL", async () => {
    const nameless = openStore("mongodb://user:secret@127.0.0.1:27017", { random });
    await expect(nameless).rejects.toThrow(/names no database/);
    const wrong = openStore("mongodb://user:secret@127.0.0.1:port/queue", { random });
    await expect(wrong).rejects.not.toThrow(/secret/);
    await expect(wrong).rejects.toThrow(StoreOpenError);
  });
});
