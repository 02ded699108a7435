import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { beforeEach, describe, expect, it } from "vitest";
import { Connection, isBusy } from "../../server/src/store/sqlite/connection.js";
import { openSqlite } from "../../server/src/store/sqlite/open.js";
import { readsOf } from "../../server/src/store/sqlite/reads.js";
import { temporaryFolder } from "../support/folder.js";
import type { Started } from "../support/run.js";
import { inAnotherProcess, startProcess } from "./support/other-process.js";
import { auditOf, clinic, entryOf, front, id, today } from "./support/records.js";

/**
 * Gives numbers of one queue until `args.count` are given, with an audit row each, from four senders, and writes each
 * number to the output once it is acknowledged.
 */
const giveNumbers = `
  const adapter = await open(args.path);
  const { businessId, date, queueId } = args.entry;
  const create = (name) => adapter.runOnce(async (access) => {
    const last = await access.last({ businessId, date, queueId });
    const number = last.number + 1;
    const record = { ...args.entry, id: name, tokenNumber: number, sequenceInDay: last.sequence + 1,
      tokens: [queueId + ":" + String(number).padStart(6, "0")], customerName: "x".repeat(2_000) };
    await access.send({ kind: "insert", table: "entries", record, audit: { ...args.audit, id: name } });
    return number;
  }, true);
  let given = 0;
  const sender = async (_, at) => {
    while (given < args.count) {
      const name = [args.name, at, given++].join("-");
      process.stdout.write(name + " " + await create(name) + "\\n");
      await adapter.runOnce((access) => access.send({ kind: "insert", table: "windows", audit: null, record:
         { id: name, requests: { startedAt: 1, count: 1 }, writes: null, endsAt: 5 } }), false);
    }
  };
  await Promise.all(Array.from({ length: 4 }, sender));
  await adapter.close();
  return "ended";`;

/** The acknowledged entries: their ids and numbers. */
function acknowledged({ written }: Started): [id: string, number: number][] {
  const lines = written.stdout.split("\n").slice(0, -1);
  return lines.map((line) => line.split(" ") as [string, string]).map(([id, n]) => [id, Number(n)]);
}

/** Asserts that every acknowledged entry is there with its audit row, and that no number is missing. */
async function expectAllOf(processes: readonly Started[], path: string) {
  const adapter = await openSqlite(path, { create: false });
  const where = { businessId: clinic };
  const rows = await adapter.list("audit", { where, limit: 1_000_000 });
  const listing = { where: { ...where, date: today, queueId: front }, order: ["tokenNumber"] };
  const entries = await adapter.list("entries", { ...listing, limit: 1_000_000 });
  await adapter.close();
  const numbers = new Map(entries.map(({ id, tokenNumber }) => [id, tokenNumber]));
  for (const [id, number] of processes.flatMap(acknowledged)) {
    expect({ id, number: numbers.get(id) }).toEqual({ id, number });
  }
  expect(rows.map(({ id }) => id).sort()).toEqual([...numbers.keys()].sort());
  expect([...numbers.values()]).toEqual(entries.map((_, at) => at + 1));
  const db = new DatabaseSync(path);
  expect(db.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  db.close();
  return entries.length;
}

/** How many numbers each process gives; `WAL_RESET_NUMBERS` for a long run. */
const resetNumbers = Number(process.env.WAL_RESET_NUMBERS ?? 400);

it("several processes create one database together, keep every row and give each number once while others move the log all the time", async () => {
  const path = join(temporaryFolder(), "queue.db");
  const given = { path, entry: entryOf(0), audit: auditOf("row"), count: resetNumbers };
  const processes = ["one", "two", "three"].map((name) =>
    startProcess(giveNumbers, { ...given, name }),
  );
  let areRunning = true;
  const isOver = Promise.all(processes.map(({ ended }) => ended)).finally(() => {
    areRunning = false;
  });
  const modes = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"];
  let checkpoints = 0;
  while (areRunning) {
    // a connection of its own each time, as a backup or the command line has
    const db = new DatabaseSync(path, { timeout: 5 });
    try {
      db.exec(`PRAGMA wal_checkpoint(${modes[checkpoints % modes.length]})`);
      checkpoints++;
    } catch (error) {
      if (!isBusy(error)) throw error;
    } finally {
      db.close();
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const ended of await isOver) expect(ended).toMatchObject({ code: 0, stderr: "" });
  expect(checkpoints).toBeGreaterThan(10);
  expect(await expectAllOf(processes, path)).toBe(processes.flatMap(acknowledged).length);
});

describe("reads", () => {
  let path: string;

  beforeEach(async () => {
    path = join(temporaryFolder(), "queue.db");
    // in another process, because a closed connection keeps its lock until its statements are garbage
    await inAnotherProcess(insert, { path, record: entryOf(1) });
  });

  const insert = `
    const adapter = await open(args.path);
    await adapter.runOnce(({ send }) =>
      send({ kind: "insert", table: "entries", record: args.record, audit: null }), true);
    await adapter.close();`;

  it("wait while another process recovers the database, and give up if it does not end", async () => {
    const other = new DatabaseSync(path);
    other.exec("PRAGMA locking_mode = EXCLUSIVE; SELECT count(*) FROM sqlite_schema");
    const db = new Connection(path, 0);
    const find = () => readsOf(db).find("entries", { id: id("e1") });
    await expect(find()).rejects.toMatchObject({
      name: "StoreUnavailableError",
      message: "another process holds the lock of the database",
    });
    const found = find();
    setImmediate(() => other.close());
    expect((await found)?.tokenNumber).toBe(1);
    db.close();
  });

  it("see what a process that was killed has committed, after its log is recovered", async () => {
    const write = `
      const adapter = await open(args.path);
      await adapter.runOnce(({ send }) =>
      send({ kind: "insert", table: "entries", record: args.record, audit: null }), true);
      process.kill(process.pid, "SIGKILL");
      await new Promise(() => setInterval(() => {}, 1_000));`;
    await startProcess(write, { path, record: entryOf(2) }).ended;
    const read = `
      const adapter = await open(args.path);
      const found = await adapter.find("entries", { id: args.id });
      await adapter.close();
      return found.tokenNumber;`;
    const readers = [1, 2, 3].map(() => inAnotherProcess(read, { path, id: id("e2") }));
    expect(await Promise.all(readers)).toEqual([2, 2, 2]);
  });
});

it("writes that change many pages together need no temporary file", async () => {
  // SQLite finds this folder writable, and cannot make a file in it, because the path would be too long for it.
  const temporary = join(temporaryFolder(), ...Array(3).fill("t".repeat(180)));
  mkdirSync(temporary, { recursive: true });
  const body = `
    process.env.SQLITE_TMPDIR = args.temporary;
    const adapter = await open(args.path);
    const records = (from, count) => Array.from({ length: count }, (_, at) => {
      const number = from + at;
      const id = String((number * 7919) % 10007); // in no order, so that records share no page
      const tokens = [args.entry.queueId + ":" + number];
      return { ...args.entry, id, tokenNumber: number, sequenceInDay: number, tokens };
    });
    await adapter.append("entries", records(1, 3_000));
    const parts = [0, 1, 2, 3].map((part) => adapter.append("entries", records(3_001 + 200 * part, 200)));
    await Promise.all(parts);
    const swept = await adapter.removeOfBusiness("entries", args.entry.businessId, 5_000);
    await adapter.close();
    return swept;`;
  const path = join(temporaryFolder(), "queue.db");
  const given = { path, temporary, entry: entryOf(0) };
  expect(await inAnotherProcess(body, given)).toBe(3_800);
});
