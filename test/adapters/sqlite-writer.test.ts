import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Adapter, Write } from "../../server/src/store/port.js";
import { sqliteAdapter } from "../../server/src/store/sqlite/adapter.js";
import { Connection } from "../../server/src/store/sqlite/connection.js";
import { DatabaseFile } from "../../server/src/store/sqlite/database-file.js";
import { openSqlite } from "../../server/src/store/sqlite/open.js";
import { SqliteReads } from "../../server/src/store/sqlite/reads.js";
import { Writer } from "../../server/src/store/sqlite/writer.js";
import type { TableName, Tables } from "../../server/src/store/tables.js";
import { temporaryFolder } from "../support/folder.js";
import { hasCompiler, heldDisk } from "../support/held-disk.js";
import { inAnotherProcess } from "./support/other-process.js";
import { auditOf, clinic, entryOf, front, id, today, windowsOf } from "./support/records.js";

/** Records what it runs, and can make the next transaction fail at its start or its end. */
class WatchedConnection extends Connection {
  readonly seen: string[] = [];
  failNext: "BEGIN IMMEDIATE" | "COMMIT" | null = null;

  override exec(sql: string): void {
    this.seen.push(sql);
    if (sql === this.failNext) {
      this.failNext = null;
      throw new Error("the disk is broken");
    }
    super.exec(sql);
  }
}

function insertion<T extends TableName>(table: T, record: Tables[T], audit: Write["audit"] = null) {
  return { kind: "insert", table, record, audit } as unknown as Write;
}

const unavailable = { name: "StoreUnavailableError" };

describe("the writer of the sqlite adapter", () => {
  let path: string;
  let db: WatchedConnection;
  let adapter: Adapter;

  beforeEach(async () => {
    path = join(temporaryFolder(), "queue.db");
    await (await openSqlite(path, { create: true, threads: false })).close();
    const reads = new SqliteReads(new Connection(path, 0));
    db = new WatchedConnection(path, 20);
    adapter = sqliteAdapter(reads, new Writer(new DatabaseFile(path), db));
    await adapter.ping();
    db.seen.length = 0;
  });
  afterEach(() => adapter.close());

  const insert = <T extends TableName>(table: T, record: Tables[T], audit: Write["audit"] = null) =>
    adapter.send(insertion(table, record, audit));
  const commits = () => db.seen.filter((sql) => sql === "COMMIT").length;
  const synchronous = () => db.value("SELECT synchronous FROM pragma_synchronous");
  const full = 2;
  const normal = 1;
  const numberOf = async (name: string) =>
    (await adapter.find("entries", { id: id(name) }))?.tokenNumber ?? null;

  it("commits all writes of one turn of the event loop together", async () => {
    const sent = await Promise.all(
      Array.from({ length: 32 }, (_, n) => insert("entries", entryOf(n + 1))),
    );
    expect(sent).toEqual(Array(32).fill("done"));
    expect(commits()).toBe(1);
  });

  it("appends thousands of records in short transactions, so that others get the lock in between", async () => {
    await adapter.append(
      "entries",
      Array.from({ length: 3_000 }, (_, n) => entryOf(n + 1)),
    );
    expect(commits()).toBeGreaterThanOrEqual(3_000 / 500);
  });

  it("undoes only the writes that are lost or fail of those that wait together", async () => {
    const broken = entryOf(3, { tokenNumber: "three" as never });
    const lost = { ...entryOf(1), id: id("lost"), placeInDay: 9 };
    const sent = await Promise.allSettled([
      insert("entries", entryOf(1)),
      insert("entries", lost, auditOf("lost")),
      insert("entries", broken, auditOf("broken")),
      insert("entries", entryOf(2), auditOf("kept")),
    ]);
    expect(sent.map((one) => (one.status === "fulfilled" ? one.value : "failed"))).toEqual([
      ...["done", "lost", "failed", "done"],
    ]);
    expect(commits()).toBe(1);
    expect([await numberOf("e2"), await numberOf("e3"), await numberOf("lost")]).toEqual([
      2,
      null,
      null,
    ]);
    const rows = await adapter.list("audit", { where: { businessId: clinic }, limit: 9 });
    expect(rows.map(({ id }) => id)).toEqual(["kept"]);
  });

  it("keeps the order of writes", async () => {
    await insert("windows", windowsOf("w"));
    const before = await adapter.find("windows", { id: "w" });
    if (!before) throw new Error("no windows");
    const { version, ...record } = before;
    const update = { kind: "update", table: "windows", before, record, audit: null } as const;
    const remove = { kind: "remove", table: "windows", before, audit: null } as const;
    expect(await Promise.all([update, remove].map((write) => adapter.send(write)))).toEqual([
      "done",
      "lost",
    ]);
  });

  it("waits for the disk for business data, and not for windows and appended rows of the log", async () => {
    await insert("windows", windowsOf("w1"));
    expect(synchronous()).toBe(normal);
    await adapter.append("audit", [auditOf("read")]);
    expect(synchronous()).toBe(normal);
    await insert("entries", entryOf(1));
    expect(synchronous()).toBe(full);
    await insert("windows", windowsOf("w2"));
    expect(synchronous()).toBe(normal);
    await Promise.all([insert("windows", windowsOf("w3")), insert("entries", entryOf(2))]);
    expect(synchronous()).toBe(full);
    await insert("windows", windowsOf("w4"));
    await insert("windows", windowsOf("w5"), auditOf("change"));
    expect(synchronous()).toBe(full);
  });

  it.each(["COMMIT", "BEGIN IMMEDIATE"] as const)(
    "rejects every write when %s fails, stores nothing, and continues",
    async (step) => {
      db.failNext = step;
      const sent = await Promise.allSettled([
        insert("entries", entryOf(1)),
        insert("windows", windowsOf("w")),
      ]);
      const rejected = { status: "rejected", reason: expect.objectContaining(unavailable) };
      expect(sent).toEqual([rejected, rejected]);
      expect(await numberOf("e1")).toBeNull();
      expect(await insert("windows", windowsOf("w"))).toBe("done");
      expect(await insert("entries", entryOf(1))).toBe("done");
    },
  );

  it("makes a ping fail when a write would fail", async () => {
    db.failNext = "COMMIT";
    await expect(adapter.ping()).rejects.toThrow("the disk is broken");
    await adapter.ping();
  });

  it("writes nothing of an empty append", async () => {
    await adapter.append("entries", []);
    expect(db.seen).toEqual([]);
  });

  it("reports records to append that others exclude", async () => {
    await insert("entries", entryOf(1));
    const records = [entryOf(2), { ...entryOf(1), id: id("other"), placeInDay: 9 }];
    await expect(adapter.append("entries", records)).rejects.toThrow("another record of entries");
    expect(await numberOf("e2")).toBeNull();
  });

  it("gives up on a lock that another process keeps, and goes on when it is free", async () => {
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    await expect(insert("entries", entryOf(1))).rejects.toMatchObject({
      ...unavailable,
      message: "another process holds the lock of the database",
    });
    other.exec("COMMIT");
    other.close();
    expect(await insert("entries", entryOf(1))).toBe("done");
  });

  it("writes what waits before it closes", async () => {
    const sent = insert("entries", entryOf(1));
    await adapter.close();
    expect(await sent).toBe("done");
    adapter = await openSqlite(path, { create: false, threads: false });
    expect(await numberOf("e1")).toBe(1);
  });
});

describe.skipIf(!hasCompiler)("on a faulty disk", () => {
  const write = (record: string) =>
    `{ kind: "insert", table: "entries", record: ${record}, audit: null }`;

  /** Writes until the disk is full, and after it was freed again. */
  const fillDisk = `
    const { rmSync, writeFileSync } = await import("node:fs");
    const adapter = await open(args.path, { threads: args.threads });
    const outcome = (write) => adapter.send(write).catch(({ name, message }) => [name, message]);
    const outcomes = [await outcome(${write("args.records[0]")})];
    writeFileSync(args.full, "");
    outcomes.push(await outcome(${write("args.records[1]")}));
    outcomes.push(await adapter.ping().catch(({ name }) => name));
    const found = await adapter.list("entries", { where: {}, limit: 9 });
    rmSync(args.full);
    outcomes.push(await outcome(${write("args.records[2]")}));
    const left = await adapter.list("entries", { where: {}, limit: 9 });
    await adapter.close();
    return { outcomes, numbers: [found, left].map((list) => list.map((one) => one.tokenNumber).sort()) };`;

  it.each([true, false])("that is full, it recovers (threads: %s)", async (threads) => {
    const folder = temporaryFolder();
    const { settings } = heldDisk(folder);
    const records = [1, 2, 3].map((number) => entryOf(number));
    const args = { path: join(folder, "queue.db"), threads, records, full: settings.FILL_DISK };
    expect(await inAnotherProcess(fillDisk, args, { settings })).toEqual({
      outcomes: [
        "done",
        ["StoreUnavailableError", "the disk of the database is full"],
        "StoreUnavailableError",
        "done",
      ],
      numbers: [[1], [1, 3]],
    });
  });

  /** Holds the disk during a write, and reads meanwhile. */
  const holdDisk = `
    const { rmSync, writeFileSync } = await import("node:fs");
    const adapter = await open(args.path, { threads: true });
    await adapter.send(${write("args.records[0]")});
    writeFileSync(args.held, "");
    let isWritten = false;
    const written = adapter.send(${write("args.records[1]")}).then((outcome) => {
      isWritten = true;
      return outcome;
    });
    const numbers = [];
    for (let n = 0; n < 200; n++) {
      numbers.push((await adapter.last(args.day)).number);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const wasWritten = isWritten;
    rmSync(args.held);
    const outcome = await written;
    await adapter.close();
    return { wasWritten, outcome, isEach: numbers.every((number) => number === 1) };`;

  it("that hangs, a write in a thread waits, and reads go on", async () => {
    const folder = temporaryFolder();
    const { settings } = heldDisk(folder);
    const day = { businessId: clinic, date: today, queueId: front };
    const records = [entryOf(1), entryOf(2)];
    const args = { path: join(folder, "queue.db"), day, records, held: settings.HOLD_DISK };
    const result = await inAnotherProcess(holdDisk, args, { settings });
    expect(result).toEqual({ wasWritten: false, outcome: "done", isEach: true });
  });
});
