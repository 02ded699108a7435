import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/folder.js";
import { inAnotherProcess } from "./support/other-process.js";

/**
 * How long the processes write. For ten minutes:
 * `TEST_WAL_SECONDS=600 npx vitest run --project service store/sqlite-wal-reset.test.ts`
 */
const seconds = Number(process.env.TEST_WAL_SECONDS ?? 3);

/** Writes rows and checkpoints in between, and returns how many rows were committed. */
const write = `
  const { DatabaseSync } = await import("@photostructure/sqlite");
  const db = new DatabaseSync(args.path, { timeout: 60_000 });
  const insert = db.prepare("INSERT INTO rows VALUES (?, ?, randomblob(?))");
  const checkpoints = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"].map((mode) =>
    db.prepare("PRAGMA wal_checkpoint(" + mode + ")"));
  const end = performance.now() + args.seconds * 1000;
  let committed = 0;
  while (performance.now() < end) {
    for (let n = 0; n < 10; n++) insert.run(args.writer, ++committed, committed % 200);
    checkpoints[(committed / 10) % 4].get();
  }
  db.close();
  return committed;`;

/** The WAL reset of SQLite before 3.51.3: https://sqlite.org/wal.html#walresetbug */
test(
  `two processes that write and checkpoint for ${seconds} s lose no committed row`,
  async () => {
    const path = join(temporaryFolder(), "queue.db");
    const db = new DatabaseSync(path, { returnArrays: true });
    db.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE rows (writer TEXT, number INTEGER, filling BLOB, PRIMARY KEY (writer, number));`);

    const ended = await Promise.all(
      ["one", "two"].map((writer) => inAnotherProcess(write, { path, writer, seconds })),
    );
    expect(ended.map(({ errors }) => errors)).toEqual(["", ""]);
    const committed = ended.map(({ output }) => Number(output));
    expect(Math.min(...committed)).toBeGreaterThan(100);
    const found = db.prepare("SELECT count(*), max(number) FROM rows GROUP BY writer").all();
    expect(found).toEqual(committed.map((number) => [number, number]));
    expect(db.prepare("PRAGMA integrity_check").get()).toEqual(["ok"]);
    db.close();
  },
  (seconds + 300) * 1000,
);
