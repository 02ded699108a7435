import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { beforeEach, describe, expect, it } from "vitest";
import { isBusy } from "../../server/src/store/sqlite/connection.js";
import { openSqlite } from "../../server/src/store/sqlite/open.js";
import { temporaryFolder } from "../support/folder.js";
import { inAnotherProcess, type Running, startProcess } from "./support/other-process.js";
import { auditOf, clinic, entryOf, front, today } from "./support/records.js";

/**
 * Gives numbers of one queue until `args.count` are given, with an audit row each, from `args.width` senders, and writes
 * each number to the output once it is acknowledged. `args.checkpoint`: what it does beside it.
 */
const giveNumbers = `
  const adapter = await open(args.path, { threads: args.threads });
  const { businessId, date, queueId } = args.entry;
  const issue = async (name) => {
    for (;;) {
      const last = await adapter.last({ businessId, date, queueId });
      const number = last.number + 1;
      const record = { ...args.entry, id: name, tokenNumber: number, placeInDay: last.place + 1,
        tokens: [queueId + ":" + String(number).padStart(6, "0")], customerName: "x".repeat(args.letters) };
      const audit = { ...args.audit, id: name };
      const sent = await adapter.send({ kind: "insert", table: "entries", record, audit });
      if (sent === "done") return number;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
    }
  };
  let given = 0;
  const sender = async (_, at) => {
    while (given < args.count) {
      const name = [args.name, at, given++].join("-");
      process.stdout.write(name + " " + await issue(name) + "\\n");
      if (args.windows) await adapter.send({ kind: "insert", table: "windows", audit: null,
        record: { id: name, requests: { startedAt: 1, count: 1 }, writes: null, endsAt: 5 } });
    }
  };
  await Promise.all(Array.from({ length: args.width }, sender));
  await adapter.close();
  return "ended";`;

const given = {
  ...{ entry: entryOf(0), audit: auditOf("row"), threads: true, windows: true },
  ...{ width: 4, letters: 10 },
};

/** The acknowledged entries: their ids and numbers. The last line may be cut off. */
function acknowledged({ output }: Running): [id: string, number: number][] {
  const lines = output().split("\n").slice(0, -1);
  return lines.map((line) => line.split(" ") as [string, string]).map(([id, n]) => [id, Number(n)]);
}

describe("several processes on one file", () => {
  let path: string;

  beforeEach(() => {
    path = join(temporaryFolder(), "queue.db");
  });

  /** Asserts that every acknowledged entry is there with its audit row, and that no number is missing. */
  async function expectAllOf(processes: readonly Running[], name: string) {
    const adapter = await openSqlite(path, { create: false, threads: false });
    const where = { businessId: clinic };
    const rows = await adapter.list("audit", { where, limit: 1_000_000 });
    const listing = { where: { ...where, date: today, queueId: front }, order: ["tokenNumber"] };
    const entries = await adapter.list("entries", { ...listing, limit: 1_000_000 });
    await adapter.close();
    const numbers = new Map(entries.map(({ id, tokenNumber }) => [id, tokenNumber]));
    for (const [id, number] of processes.flatMap(acknowledged)) {
      expect({ name, id, number: numbers.get(id) }).toEqual({ name, id, number });
    }
    expect(rows.map(({ id }) => id).sort()).toEqual([...numbers.keys()].sort());
    expect([...numbers.values()]).toEqual(entries.map((_, at) => at + 1));
    const db = new DatabaseSync(path);
    expect(db.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
    db.close();
    return entries.length;
  }

  it("create a new database together", async () => {
    const body = "await (await open(args.path)).close(); return 'opened';";
    const opened = await Promise.all([1, 2, 3, 4].map(() => inAnotherProcess(body, { path })));
    expect(opened).toEqual(Array(4).fill("opened"));
  });

  it("keep what was acknowledged when one of them is killed, and the other goes on", async () => {
    const all: Running[] = [];
    for (const killedAfter of [1, 5, 20, 40, 80]) {
      const name = `round${killedAfter}`;
      const start = (who: string, count: number) =>
        startProcess(giveNumbers, { ...given, path, name: `${name}${who}`, count });
      const [victim, other] = [start("victim", 100_000), start("other", 60)];
      all.push(victim, other);
      victim.child.stdout?.on("data", () => {
        if (acknowledged(victim).length >= killedAfter) victim.child.kill("SIGKILL");
      });
      expect((await victim.ended).errors).toBe("");
      expect(await other.ended).toMatchObject({ code: 0, errors: "" });
      expect(acknowledged(victim).length).toBeGreaterThanOrEqual(killedAfter);
      await expectAllOf(all, name);
    }
  });

  /** How many numbers each process gives; `WAL_RESET_NUMBERS` for a long run. */
  const resetNumbers = Number(process.env.WAL_RESET_NUMBERS ?? 400);

  it("keep every row and give each number once while three write, and others move the log all the time", async () => {
    const more = { ...given, path, count: resetNumbers, letters: 2_000 };
    const processes = ["one", "two", "three"].map(
      (name) => startProcess(giveNumbers, { ...more, name, threads: name !== "three" }), // as the command line
    );
    const isOver = Promise.all(processes.map(({ ended }) => ended));
    let areRunning = true;
    void isOver.then(() => {
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
    for (const ended of await isOver) expect(ended).toMatchObject({ code: 0, errors: "" });
    expect(checkpoints).toBeGreaterThan(10);
    expect(await expectAllOf(processes, "reset")).toBe(processes.flatMap(acknowledged).length);
  });
});
