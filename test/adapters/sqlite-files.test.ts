import { randomBytes } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../server/src/open-store.js";
import { StoreOpenError } from "../../server/src/store/errors.js";
import { isSameDatabase } from "../../server/src/store/open.js";
import type { Adapter } from "../../server/src/store/port.js";
import { applicationId } from "../../server/src/store/sqlite/database-file.js";
import { openSqlite } from "../../server/src/store/sqlite/open.js";
import { schema } from "../../server/src/store/sqlite/schema.js";
import { commandEnvironment, commandPath } from "../support/command.js";
import { temporaryFolder } from "../support/folder.js";
import { start } from "../support/run.js";
import { inAnotherProcess } from "./support/other-process.js";
import { clinic, entryOf, front, id, today } from "./support/records.js";
import { insertion, send } from "./support/writes.js";

const open = (path: string): Promise<Adapter> => openSqlite(path, { create: true });

/** The error with which opening a database fails. */
async function refusal(path: string): Promise<string> {
  try {
    await (await open(path)).close();
  } catch (error) {
    expect(error).toBeInstanceOf(StoreOpenError);
    return (error as StoreOpenError).message;
  }
  throw new Error("the database was opened");
}

/** Runs SQL as another program does. */
function run(path: string, sql: string): void {
  const other = new DatabaseSync(path);
  other.exec(sql);
  other.close();
}

const insert = (adapter: Adapter, number: number) =>
  send(adapter, insertion("entries", entryOf(number)));

describe("opening a database", () => {
  let folder: string;

  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => chmodSync(folder, 0o755));

  it("creates a file and its folder, with any characters in the path, that only its owner can read", async () => {
    const path = join(folder, "new folder", "Zoë & co?mode=ro#1 100%.db");
    const adapter = await open(path);
    const made = [dirname(path), path, `${path}-wal`];
    const modes = made.map((at) => statSync(at).mode & 0o077);
    await adapter.close();
    expect(modes).toEqual([0, 0, 0]);
  });

  it("names the room on the disk if the index of the log has none", async () => {
    const path = join(folder, "queue.db");
    await (await open(path)).close();
    const command = `trap "" XFSZ; ulimit -f 8; exec "${process.execPath}" "${commandPath}" business list`;
    const env = { ...commandEnvironment, DATABASE_URL: `file:${path}` };
    const { stderr } = await start("sh", ["-c", command], { env }).ended;
    expect(stderr).toMatch(
      /^queue-api: Cannot open .* and that its disk has room \(disk I\/O error\)\.$/m,
    );
  });

  it("creates neither without permission to create, and reports that the file does not exist", async () => {
    const path = join(folder, "new folder", "queue.db");
    const opened = openSqlite(path, { create: false });
    await expect(opened).rejects.toThrow(StoreOpenError);
    await expect(opened).rejects.toThrow(/^There is no database at [^\n]+queue\.db\. [^\n]+\.$/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(["", "postgres://localhost/queue", "queue.db", "file:", "file://far.example/queue.db"])(
    "refuses the URL %j with a message of one line",
    async (url) => {
      const opened = openStore(url, { random: randomBytes });
      await expect(opened).rejects.toThrow(StoreOpenError);
      await expect(opened).rejects.toThrow(/^The database URL .+\.$/);
    },
  );

  it("knows one file by all of its names", async () => {
    const path = join(folder, "queue.db");
    await (await open(path)).close();
    symlinkSync(path, join(folder, "symbolic.db"));
    linkSync(path, join(folder, "hard.db"));
    writeFileSync(join(folder, "other.db"), readFileSync(path));
    const same = ["queue.db", "./symbolic.db", "hard.db", "other.db", "new.db"].map((name) =>
      isSameDatabase(`file://${path}`, `file:${folder}/${name}`),
    );
    expect(same).toEqual([true, true, true, false, false]);
  });

  it("stores everything in one file", async () => {
    const path = join(folder, "queue.db");
    const adapter = await open(path);
    await insert(adapter, 1);
    await adapter.close();

    const copy = join(folder, "copy.db");
    writeFileSync(copy, readFileSync(path));
    const again = await open(copy);
    expect((await again.find("entries", { id: id("e1") }))?.tokenNumber).toBe(1);
    const day = { businessId: clinic, date: today, queueId: front };
    expect(await again.last(day)).toMatchObject({ number: 1, sequence: 1 });
    await again.close();
  });

  const made = (sql: string) => (path: string) => run(path, sql);
  const content = (text: string) => (path: string) => writeFileSync(path, text);
  const notADatabase = "not a database at all, but long enough to look like one. ".repeat(100);

  it.each([
    [
      "a database of a newer version",
      made(`${schema} PRAGMA application_id = ${applicationId}; PRAGMA user_version = 99`),
      /newer version.*Upgrade[^\n]*\.$/,
    ],
    ["a database of another program", made("CREATE TABLE t (x)"), /another program[^\n]*\.$/],
    ["a short text", content("hello"), /is not a database[^\n]*\.$/],
    ["a long text", content(notADatabase), /is not a database[^\n]*\.$/],
  ])("does not change %s", async (_, make, message) => {
    const path = join(folder, "queue.db");
    make(path);
    const before = readFileSync(path);
    expect(await refusal(path)).toMatch(message);
    expect(readFileSync(path)).toEqual(before);
  });

  it("refuses a folder in place of a file, and a file in place of a folder", async () => {
    expect(await refusal(folder)).toMatch(/^Cannot open or write[^\n]+$/);
    writeFileSync(join(folder, "file"), "");
    expect(await refusal(`${folder}/file/queue.db`)).toMatch(/^Cannot open or write[^\n]+$/);
  });

  const tryToOpen = `
    if (process.getuid() === 0) process.setuid(65534); // root can write everywhere
    try {
      await (await open(args.path)).close();
      return "opened";
    } catch (error) {
      return [error.name, error.message];
    }`;

  it.each([
    ["folder", 0o755, 0o555, "its folder exists and can be written"],
    ["file", 0o444, 0o777, "the file can be read and written"],
  ])("refuses a %s that cannot be written", async (_, fileMode, folderMode, advice) => {
    const path = join(folder, "queue.db");
    await (await open(path)).close();
    chmodSync(path, fileMode);
    chmodSync(folder, folderMode);
    expect(await inAnotherProcess(tryToOpen, { path })).toEqual([
      "StoreOpenError",
      expect.stringMatching(`^Cannot open or write[^\n]+${advice} \\(EACCES\\)\\.$`),
    ]);
  });

  it("that another program holds for a moment waits for it", async () => {
    const path = join(folder, "queue.db");
    const other = new DatabaseSync(path);
    other.exec("BEGIN EXCLUSIVE");
    const opened = open(path);
    setImmediate(() => setImmediate(() => other.exec("COMMIT")));
    await (await opened).close();
    other.close();
  });
});

describe("an open database", () => {
  let path: string;
  let adapter: Adapter;

  beforeEach(async () => {
    const folder = temporaryFolder();
    path = join(folder, "queue.db");
    run(`${path}.small`, "CREATE TABLE t (x)");
    const link = join(folder, "link.db"); // a symbolic link must make no difference
    symlinkSync(path, link);
    await (await open(path)).close();
    adapter = await open(link);
    expect(await insert(adapter, 1)).toBe("done");
  });

  const faults: Readonly<Record<string, () => void>> = {
    deleted: () => rmSync(path),
    replaced: () => {
      renameSync(path, `${path}.away`);
      writeFileSync(path, "");
    },
    "separated from its log": () => rmSync(`${path}-wal`),
    "separated from the index of its log": () => rmSync(`${path}-shm`),
    "separated from the index of its log, while another program uses it": () => {
      rmSync(`${path}-shm`);
      run(path, "CREATE TABLE other (x)");
    },
    truncated: () => truncateSync(path, 4_096),
    "overwritten by a backup": () => copyFileSync(`${path}.small`, path),
    "overwritten by something else": () => writeFileSync(path, "x".repeat(10_000_000)),
  };

  it.each(Object.entries(faults))("that is %s acknowledges nothing more", async (_, fault) => {
    fault();
    for (let number = 2; number < 5; number++) {
      await expect(insert(adapter, number)).rejects.toMatchObject({
        name: "StoreUnavailableError",
        message: expect.stringMatching(/was (deleted|replaced|overwritten) while it was open\./),
      });
    }
    const refused = { name: "StoreUnavailableError" };
    await expect(adapter.ping()).rejects.toMatchObject(refused);
    await expect(adapter.append("audit", [])).resolves.toBeUndefined();
    await expect(adapter.removeOfBusiness("audit", clinic, 1)).rejects.toMatchObject(refused);
    await expect(adapter.close()).rejects.toMatchObject(refused);
  });

  it("that another program reads, writes and checkpoints is used as before", async () => {
    const [reader, writer] = [new DatabaseSync(path), new DatabaseSync(path)];
    reader.exec("BEGIN; SELECT count(*) FROM sqlite_schema");
    writer.exec("CREATE TABLE other (x); INSERT INTO other VALUES (randomblob(5000000))");
    writer.exec("PRAGMA wal_checkpoint(PASSIVE)"); // can move a part only
    expect(await insert(adapter, 2)).toBe("done");
    reader.exec("COMMIT");
    writer.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    expect(await insert(adapter, 3)).toBe("done");
    writer.close();
    reader.close();
    expect(await insert(adapter, 4)).toBe("done");
    expect(statSync(path).size).toBeGreaterThan(5_000_000);
    await adapter.close();
  });

  it("that is away is read, and used again when it is back", async () => {
    renameSync(path, `${path}.away`);
    await expect(insert(adapter, 2)).rejects.toThrow("was deleted");
    expect(await adapter.find("entries", { id: id("e1") })).not.toBeNull();
    renameSync(`${path}.away`, path);
    expect(await insert(adapter, 2)).toBe("done");
    await adapter.ping();
    await adapter.close();
  });
});
