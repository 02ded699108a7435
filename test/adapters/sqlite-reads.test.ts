import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { beforeEach, describe, expect, it } from "vitest";
import { Connection } from "../../server/src/store/sqlite/connection.js";
import { SqliteReads } from "../../server/src/store/sqlite/reads.js";
import { temporaryFolder } from "../support/folder.js";
import { inAnotherProcess, startProcess } from "./support/other-process.js";
import { entryOf, id } from "./support/records.js";

describe("the reads of the sqlite adapter", () => {
  let path: string;

  beforeEach(async () => {
    path = join(temporaryFolder(), "queue.db");
    // in another process, because a closed connection keeps its lock until its statements are garbage
    await inAnotherProcess(insert, { path, record: entryOf(1) });
  });

  const insert = `
    const adapter = await open(args.path);
    await adapter.send({ kind: "insert", table: "entries", record: args.record, audit: null });
    await adapter.close();`;

  /** Opens the database so that no other connection can read, as one that recovers it does. */
  function locked(): InstanceType<typeof DatabaseSync> {
    const other = new DatabaseSync(path);
    other.exec("PRAGMA locking_mode = EXCLUSIVE; SELECT count(*) FROM sqlite_schema");
    return other;
  }

  it("wait while another connection locks out readers", async () => {
    const [other, reads] = [locked(), new SqliteReads(new Connection(path, 0))];
    const found = reads.find("entries", { id: id("e1") });
    setImmediate(() => other.close());
    expect((await found)?.tokenNumber).toBe(1);
    reads.close();
  });

  it("give up on a lock that stays", async () => {
    const [other, reads] = [locked(), new SqliteReads(new Connection(path, 0))];
    await expect(reads.find("entries", { id: id("e1") })).rejects.toMatchObject({
      name: "StoreUnavailableError",
      message: "another process holds the lock of the database",
    });
    other.close();
    expect(await reads.find("entries", { id: id("e1") })).not.toBeNull();
    reads.close();
  });

  it("see what a process that was killed has committed, after its log is recovered", async () => {
    const write = `
      const adapter = await open(args.path, { threads: true });
      await adapter.send({ kind: "insert", table: "entries", record: args.record, audit: null });
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
