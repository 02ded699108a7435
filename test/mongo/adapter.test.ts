import { randomBytes } from "node:crypto";
import dns from "node:dns";
import { openStore } from "@queue-api/server";
import { describe, expect, type OnTestFinishedHandler, onTestFinished, test, vi } from "vitest";
import { StoreOpenError, StoreUnavailableError } from "../../server/src/store/errors.js";
import { openMongo } from "../../server/src/store/mongo/open-mongo.js";
import type { Adapter, Listing } from "../../server/src/store/port.js";
import type { Stored, TableName, Tables } from "../../server/src/store/tables.js";
import {
  appointmentOf,
  auditOf,
  clinic as businessId,
  businessOf,
  today as date,
  entryOf,
  front as queueId,
} from "../adapters/support/records.js";
import { insertion, removal, send, update } from "../adapters/support/writes.js";
import { emptyMongoDatabase, mongoDatabase, withDatabase } from "../support/mongo.js";

/* What only MongoDB has. Everything else of the adapter: test/adapters. */

async function opened(atEnd: (end: OnTestFinishedHandler) => void) {
  const url = await emptyMongoDatabase();
  const commands: Record<string, unknown>[] = [];
  const { adapter, clock } = await openMongo(url, {
    prepare: "always",
    onCommand: (command) => commands.push(command),
  });
  atEnd(() => adapter.close());
  return { url, adapter, clock, commands };
}

async function insert<T extends TableName>(
  adapter: Adapter,
  table: T,
  record: Tables[T],
  audit: Tables["audit"] | null = null,
): Promise<Stored<T>> {
  expect(await send(adapter, insertion(table, record, audit))).toBe("done");
  return { ...record, version: 0 };
}

test("a field that no schema has is an error, and so is a value of another type", async ({
  onTestFinished,
}) => {
  const { adapter } = await opened(onTestFinished);
  const stored = await insert(adapter, "entries", entryOf(1));
  const wrong = { strange: 1, tokenNumber: "first", status: "LOST", calls: "many" };
  for (const [field, value] of Object.entries(wrong)) {
    const change = { [field]: value } as never;
    const record = entryOf(2, change);
    await expect(insert(adapter, "entries", record)).rejects.toThrow(field);
    await expect(adapter.append("entries", [record])).rejects.toThrow(field);
    if (field === "status") continue; // an update checks names and types alone
    await expect(send(adapter, update("entries", stored, change))).rejects.toThrow(field);
  }
  const all = await adapter.list("entries", { where: { businessId }, limit: 9 });
  expect(all).toEqual([stored]);
});

test("audit rows are read from documents and the log as one list, also while they move", async ({
  onTestFinished,
}) => {
  const { adapter, url, clock } = await opened(onTestFinished);
  const now = clock();
  const rows: Tables["audit"][] = [];
  const row = (n: number) => {
    const one = auditOf(`row${n}`.padEnd(9), { at: now - (n % 7) * 3_600_000 - n });
    rows.push(one);
    return one;
  };
  await insert(adapter, "businesses", businessOf("clinic"), row(0));
  let person = await insert(adapter, "entries", entryOf(1), row(1));
  const visit = await insert(adapter, "appointments", appointmentOf("visit"), row(2));
  expect(await send(adapter, update("appointments", visit, { notes: "x" }, row(3)))).toBe("done");
  const other = auditOf("other", { businessId: "other", at: now });
  await adapter.append("audit", [row(4), row(5), other]);
  for (let n = 6; n < 260; n++) {
    expect(await send(adapter, update("entries", person, { calls: n }, row(n)))).toBe("done");
    person = { ...person, calls: n, version: person.version + 1 };
  }
  const order = (a: Tables["audit"], b: Tables["audit"]) => a.at - b.at || (a.id < b.id ? -1 : 1);
  const all = rows.toSorted(order).map((one) => ({ ...one, version: 0 }));

  const list = (part: Partial<Listing>) => {
    const log: Listing = { where: { businessId }, order: ["at", "id"], limit: 500 };
    return adapter.list("audit", { ...log, ...part });
  };
  async function pages(descending: boolean, limit: number) {
    const found: Stored<"audit">[] = [];
    for (;;) {
      const last = found.at(-1);
      const page = await list({ descending, limit, after: last ? [last.at, last.id] : null });
      found.push(...page);
      if (page.length < limit) return found;
    }
  }
  expect(await pages(true, 40)).toEqual(all.toReversed());
  expect(await pages(false, 40)).toEqual(all);
  const moving = adapter.maintain();
  expect(await pages(true, 100)).toEqual(all.toReversed());
  await moving;
  const held = await withDatabase(url, (db) => db.collection("entries").findOne({}));
  expect(held?.audits).toHaveLength(100);
  expect(held?.audits.at(-1)._id).toBe(rows.at(-1)?.id);
  expect(await pages(true, 300)).toEqual(all.toReversed());
  expect(await adapter.find("entries", { id: person.id })).toEqual(person);

  // The limit is for both together.
  const below = now - 3 * 3_600_000;
  const old = rows.filter(({ at }) => at < below).length;
  expect(await adapter.removeExpired("audit", below, 10)).toBe(10);
  expect(await adapter.removeExpired("audit", below, 1_000)).toBe(old - 10);
  expect(await pages(true, 300)).toEqual(all.toReversed().filter(({ at }) => at >= below));
});

test("each read and each write is one command, which asks for a majority", async ({
  onTestFinished,
}) => {
  const { adapter, commands } = await opened(onTestFinished);
  async function expectCommand(
    name: "insert" | "update" | "delete" | "find" | "aggregate",
    step: () => Promise<unknown>,
  ) {
    commands.length = 0;
    await step();
    const isRead = name === "find" || name === "aggregate";
    const concern = isRead
      ? { readConcern: { level: "majority" } }
      : { writeConcern: { w: "majority" } };
    expect(commands).toEqual([expect.objectContaining({ [name]: "entries", ...concern })]);
  }

  const record = entryOf(1);
  const before = { ...record, version: 0 };
  const day = { businessId, date, queueId };
  const write = insertion("entries", record, auditOf("row"));
  const change = update("entries", before, { calls: 1 }, auditOf("second"));
  for (const _ of ["done", "conflict"]) {
    await expectCommand("insert", () => send(adapter, write));
    await expectCommand("update", () => send(adapter, change));
  }
  await expectCommand("find", () => adapter.find("entries", { id: record.id }));
  await expectCommand("find", () => adapter.list("entries", { where: day, limit: 300 }));
  await expectCommand("find", () => adapter.line(day));
  for (const count of [adapter.count, adapter.last]) {
    await expectCommand("aggregate", () => count(day));
  }
  await expectCommand("aggregate", () => adapter.waiting([date]));
  const remove = removal("entries", { ...before, version: 1 });
  await expectCommand("delete", () => send(adapter, remove));
});

test("the time of a store is the database's, whatever the clock of its process says", async ({
  onTestFinished,
}) => {
  const real = Date.now;
  const ahead = vi.spyOn(Date, "now").mockImplementation(() => real() + 420_000);
  onTestFinished(() => ahead.mockRestore());
  const store = await openStore(await emptyMongoDatabase(), { random: randomBytes });
  expect(Math.abs(store.now() - real())).toBeLessThan(60_000);
  await store.close();
});

describe("the URL of a MongoDB database", () => {
  test.each([
    ...["w=1", "w=0", "journal=false", "readConcernLevel=local"],
    ...["readPreference=secondary", "readpreference=nearest"],
  ])("is refused with %s, and the error names the option", async (option) => {
    const [name = ""] = option.split("=");
    const opening = openMongo(`${mongoDatabase()}?${option}`, { prepare: "never" });
    await expect(opening).rejects.toThrow(StoreOpenError);
    await expect(opening).rejects.toThrow(name);
  });

  test("may say what holds anyway", async () => {
    const url = mongoDatabase();
    const options = "w=majority&readConcernLevel=majority&readPreference=primary&journal=true";
    const { adapter } = await openMongo(`${url}?${options}`, { prepare: "always" });
    await adapter.ping();
    await adapter.close();
  });

  test("names a database, and no error quotes it", async () => {
    const nameless = openMongo("mongodb://user:secret@127.0.0.1:27017", { prepare: "never" });
    await expect(nameless).rejects.toThrow(/names no database/);
    const wrong = openMongo("mongodb://user:secret@127.0.0.1:port/queue", { prepare: "never" });
    await expect(wrong).rejects.not.toThrow(/secret/);
    await expect(wrong).rejects.toThrow(StoreOpenError);
  });

  const soon = "serverSelectionTimeoutMS=200";
  test.each([
    ["127.0.0.1/queue?maxPoolSize=abc", "cannot be used (the option maxPoolSize)"],
    ["127.0.0.1/queue?tls=true&tlsCAFile=/none", "cannot be used (ENOENT)"],
    [`127.0.0.1:1/queue?w=majority&${soon}`, "cannot be reached (ECONNREFUSED)"],
    [
      `${new URL(mongoDatabase()).host}/queue?replicaSet=none&${soon}`,
      "(no primary of that replica set)",
    ],
  ])("of %s fails with its reason: %s", async (rest, reason) => {
    const opening = openMongo(`mongodb://user:secret@${rest}`, { prepare: "never" });
    await expect(opening).rejects.toThrow(reason);
    await expect(opening).rejects.not.toThrow(/secret|abc/);
  });
});

test("a name server that fails for a moment is a database that cannot be reached", async () => {
  const failing = Object.assign(new Error("queryA ESERVFAIL"), { code: "ESERVFAIL" });
  const resolve = vi.spyOn(dns.promises, "resolve").mockRejectedValue(failing);
  onTestFinished(() => resolve.mockRestore());
  const opening = openMongo("mongodb+srv://db.queue.example/queue", { prepare: "never" });
  await expect(opening).rejects.toThrow(StoreUnavailableError);
  await expect(opening).rejects.toThrow("ESERVFAIL");
});

describe("the indexes of a database", () => {
  /** Opens a database, which may already have something. */
  const open = async (url: string, prepare: "always" | "when empty" | "never", create = true) =>
    (await openMongo(url, { prepare, create })).adapter.close();

  test("are made in an empty database alone, and a missing one is an error that names it", async () => {
    const url = mongoDatabase();
    await expect(open(url, "when empty", false)).rejects.toThrow(/There is no such database/);
    await withDatabase(url, async (db) => expect(await db.collections()).toEqual([]));
    await open(url, "when empty");
    await open(url, "when empty", false);
    await open(url, "never");
    await withDatabase(url, async (db) => {
      await db.collection("businesses").insertOne({ id: "a business" });
      await db.collection("entries").dropIndex("key");
    });
    const missing = /index key of the collection entries is missing.*database prepare/;
    await expect(open(url, "when empty")).rejects.toThrow(missing);
    await expect(open(url, "never")).rejects.toThrow(StoreOpenError);
  });

  test("are not made in the database of another program", async () => {
    const url = mongoDatabase();
    await withDatabase(url, (db) => db.collection("invoices").insertOne({ number: 1 }));
    await expect(open(url, "when empty", false)).rejects.toThrow(/index .* is missing/);
    await withDatabase(url, async (db) => {
      const names = (await db.collections()).map(({ collectionName }) => collectionName);
      expect(names).toEqual(["invoices"]);
    });
  });

  test("are made while another process makes them", async () => {
    const url = mongoDatabase();
    const preparing = open(url, "always");
    await withDatabase(url, (db) =>
      vi.waitUntil(async () => (await db.collections()).length > 0, {
        interval: 1,
        timeout: 30_000,
      }),
    );
    await Promise.all([preparing, open(url, "when empty")]);
    await open(url, "never");
  });

  test("are refused if one differs, and the error names it", async () => {
    const url = mongoDatabase();
    await withDatabase(url, (db) =>
      db.collection("windows").createIndexes([{ name: "end", key: { date: 1 } }]),
    );
    const differs = /index end of the collection windows differs/;
    await expect(open(url, "always")).rejects.toThrow(differs);
  });
});
