import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openStore } from "../../server/dist/open-store.js";
import { systemRandom as random } from "../../server/src/lib/system.js";
import { StoreUnavailableError } from "../../server/src/store/errors.js";
import type { Adapter } from "../../server/src/store/port.js";
import { sqliteAdapter } from "../../server/src/store/sqlite/adapter.js";
import { Connection } from "../../server/src/store/sqlite/connection.js";
import { DatabaseFile } from "../../server/src/store/sqlite/database-file.js";
import { openSqlite } from "../../server/src/store/sqlite/open.js";
import { Writer } from "../../server/src/store/sqlite/writer.js";
import type { TableName } from "../../server/src/store/tables.js";
import { temporaryFolder } from "../support/folder.js";
import { auditOf, clinic, entryOf, front, id, today, windowsOf } from "./support/records.js";
import { insertion, send } from "./support/writes.js";

/** Records what it runs. It can make the next transaction fail at its start or its end, and commits slow. */
class WatchedConnection extends Connection {
  readonly seen: string[] = [];
  failNext: "BEGIN IMMEDIATE" | "COMMIT" | null = null;
  /** How long the disk takes for a commit, in milliseconds. */
  commitMs = 0;

  override exec(sql: string): void {
    this.seen.push(sql);
    if (sql === this.failNext) {
      this.failNext = null;
      throw new Error("the disk is broken");
    }
    if (sql === "COMMIT" && this.commitMs > 0) Atomics.wait(nothing, 0, 0, this.commitMs);
    super.exec(sql);
  }
}

/** Never notified, so that a wait for it ends by its timeout. */
const nothing = new Int32Array(new SharedArrayBuffer(4));

describe("the writer of the sqlite adapter", () => {
  let path: string;
  let db: WatchedConnection;
  let adapter: Adapter;

  beforeEach(async () => {
    path = join(temporaryFolder(), "queue.db");
    await (await openSqlite(path, { create: true })).close();
    db = new WatchedConnection(path, 20);
    adapter = sqliteAdapter(new Connection(path, 0), new Writer(new DatabaseFile(path), db));
    await adapter.ping();
    db.seen.length = 0;
  });
  afterEach(() => adapter.close());

  const insert = <T extends TableName>(...what: Parameters<typeof insertion<T>>) =>
    send(adapter, insertion(...what));
  /** As what need not survive a power cut. */
  const note = <T extends TableName>(...what: Parameters<typeof insertion<T>>) =>
    send(adapter, insertion(...what), false);
  const commits = () => db.seen.filter((sql) => sql === "COMMIT").length;
  const synchronous = () => db.value("SELECT synchronous FROM pragma_synchronous");
  const [normal, full] = [1, 2];
  const numberOf = async (name: string) =>
    (await adapter.find("entries", { id: id(name) }))?.tokenNumber ?? null;

  it("leaves the lock to another process between two commits on a slow disk", async () => {
    const other = await openStore(`file:${path}`, { random, threads: true });
    onTestFinished(() => other.close());
    db.commitMs = 120;
    let isWritten = false;
    const written = other.ping().finally(() => {
      isWritten = true;
    });
    const keepWriting = async (name: string) => {
      for (let n = 0; !isWritten; n++) await note("windows", windowsOf(`${name} ${n}`));
    };
    await Promise.all([keepWriting("a"), keepWriting("b"), written]);
    expect(commits()).toBeLessThan(10);
  });

  it("appends thousands of records in short transactions, so that others get the lock in between", async () => {
    const records = Array.from({ length: 3_000 }, (_, n) => entryOf(n + 1));
    await adapter.append("entries", records);
    expect(commits()).toBeGreaterThanOrEqual(3_000 / 500);
  });

  it("commits writes that wait together at once, without those that conflict or fail", async () => {
    const broken = entryOf(3, { tokenNumber: "three" as never });
    const conflicting = { ...entryOf(1), id: id("conflict"), sequenceInDay: 9 };
    const sent = await Promise.allSettled([
      insert("entries", entryOf(1)),
      insert("entries", conflicting, auditOf("conflict")),
      insert("entries", broken, auditOf("broken")),
      insert("entries", entryOf(2), auditOf("kept")),
    ]);
    const outcomes = sent.map((one) => (one.status === "fulfilled" ? one.value : "failed"));
    expect(outcomes).toEqual(["done", "conflict", "failed", "done"]);
    expect(commits()).toBe(1);
    const numbers = await Promise.all(["e2", "e3", "conflict"].map(numberOf));
    expect(numbers).toEqual([2, null, null]);
    const rows = await adapter.list("audit", { where: { businessId: clinic }, limit: 9 });
    expect(rows.map(({ id }) => id)).toEqual(["kept"]);
  });

  it("runs operations that wait together in one transaction: each sees those before it, and what fails is undone alone", async () => {
    const give = (name: string, fails = false) =>
      adapter.runOnce(async (access) => {
        const { number } = await access.last({ businessId: clinic, date: today, queueId: front });
        await access.send(insertion("entries", { ...entryOf(number + 1), id: id(name) }));
        if (fails) throw new Error("it fails after its write");
        return number + 1;
      }, true);
    const given = await Promise.allSettled([give("a"), give("b", true), give("c"), give("d")]);
    expect(given.map((one) => (one.status === "fulfilled" ? one.value : "failed"))).toEqual([
      1,
      "failed",
      2,
      3,
    ]);
    expect(commits()).toBe(1);
    expect(await Promise.all(["a", "b", "c", "d"].map(numberOf))).toEqual([1, null, 2, 3]);
  });

  it("ends a transaction after a tenth of a second, so that others get the lock in between", async () => {
    const order: number[] = [];
    const think = (number: number) =>
      adapter.runOnce(async () => {
        Atomics.wait(nothing, 0, 0, 60);
        order.push(number);
      }, true);
    await Promise.all([1, 2, 3, 4, 5].map(think));
    expect(order).toEqual([1, 2, 3, 4, 5]);
    expect(commits()).toBeGreaterThan(2);
  });

  it("waits for the disk for business data, and not for windows and rows of the log alone", async () => {
    await note("windows", windowsOf("w1"));
    expect(synchronous()).toBe(normal);
    await adapter.append("audit", [auditOf("read")]);
    expect(synchronous()).toBe(normal);
    await insert("entries", entryOf(1));
    expect(synchronous()).toBe(full);
    await adapter.append("audit", [auditOf("another read")]);
    expect(synchronous()).toBe(normal);
    await adapter.append("entries", [entryOf(3)]);
    expect(synchronous()).toBe(full);
    await note("windows", windowsOf("w2"));
    expect(synchronous()).toBe(normal);
    await Promise.all([note("windows", windowsOf("w3")), insert("entries", entryOf(2))]);
    expect(synchronous()).toBe(full);
    await note("audit", auditOf("a sum of refused requests"));
    expect(synchronous()).toBe(normal);
  });

  it.each(["COMMIT", "BEGIN IMMEDIATE"] as const)(
    "rejects every write and a ping when %s fails, stores nothing, and continues",
    async (step) => {
      db.failNext = step;
      const sent = await Promise.allSettled([
        insert("entries", entryOf(1)),
        note("windows", windowsOf("w")),
      ]);
      const rejected = { status: "rejected", reason: expect.any(StoreUnavailableError) };
      expect(sent).toEqual([rejected, rejected]);
      expect(await numberOf("e1")).toBeNull();
      expect(await note("windows", windowsOf("w"))).toBe("done");
      expect(await insert("entries", entryOf(1))).toBe("done");
      db.failNext = step;
      await expect(adapter.ping()).rejects.toThrow("the disk is broken");
      await adapter.ping();
    },
  );

  it("reports records to append that others exclude", async () => {
    await insert("entries", entryOf(1));
    const records = [entryOf(2), { ...entryOf(1), id: id("other"), sequenceInDay: 9 }];
    await expect(adapter.append("entries", records)).rejects.toThrow("another record of entries");
    expect(await numberOf("e2")).toBeNull();
  });
});
