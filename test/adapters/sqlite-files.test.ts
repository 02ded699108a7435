import { randomBytes } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../server/src/open-store.js";
import { StoreOpenError } from "../../server/src/store/errors.js";
import { isSameDatabase } from "../../server/src/store/open.js";
import type { Adapter } from "../../server/src/store/port.js";
import { openSqlite } from "../../server/src/store/sqlite/open.js";
import { temporaryFolder } from "../support/folder.js";
import { openThreaded } from "./support/adapters.js";
import { inAnotherProcess } from "./support/other-process.js";
import { businessOf, clinic, entryOf, front, id, today } from "./support/records.js";

const open = (path: string): Promise<Adapter> => openSqlite(path, { create: true, threads: false });

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
  adapter.send({ kind: "insert", table: "entries", record: entryOf(number), audit: null });

describe("opening a database", () => {
  let folder: string;

  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => chmodSync(folder, 0o755));

  it("creates a file that only its owner can read", async () => {
    const path = join(folder, "new", "queue-api.db");
    const adapter = await open(path);
    const modes = [join(folder, "new"), path, `${path}-wal`].map((at) => statSync(at).mode & 0o077);
    await adapter.close();
    expect(modes).toEqual([0, 0, 0]);
  });

  it("creates the file and its folders, with any characters in the path", async () => {
    const path = join(folder, "new folder", "Zoë & co?mode=ro#1 100%.db");
    const adapter = await open(path);
    expect(await insert(adapter, 1)).toBe("done");
    await adapter.close();
    expect(existsSync(path)).toBe(true);
  });

  it("creates neither without permission to create, and reports that the file does not exist", async () => {
    const path = join(folder, "new folder", "queue.db");
    const opened = openSqlite(path, { create: false, threads: false });
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

  it.each(["in-process", "threaded"])("stores everything in one file: %s", async (how) => {
    const path = join(folder, "queue.db");
    const adapter = how === "threaded" ? await openThreaded(path) : await open(path);
    await insert(adapter, 1);
    await adapter.close();

    const copy = join(folder, "copy.db");
    writeFileSync(copy, readFileSync(path));
    const again = await open(copy);
    expect((await again.find("entries", { id: id("e1") }))?.tokenNumber).toBe(1);
    const day = { businessId: clinic, date: today, queueId: front };
    expect(await again.last(day)).toMatchObject({ number: 1, place: 1 });
    await again.close();
  });

  it("does not change a database of a newer version", async () => {
    const path = join(folder, "queue.db");
    await (await open(path)).close();
    run(path, "PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)");
    const before = readFileSync(path);
    expect(await refusal(path)).toMatch(/newer version.*Upgrade[^\n]*\.$/);
    expect(readFileSync(path)).toEqual(before);
  });

  it("does not change a database of another program", async () => {
    const path = join(folder, "other.db");
    run(path, "CREATE TABLE things (id INTEGER)");
    const before = readFileSync(path);
    expect(await refusal(path)).toMatch(/another program[^\n]*\.$/);
    expect(readFileSync(path)).toEqual(before);
  });

  it.each(["hello", "not a database at all, but long enough to look like one. ".repeat(100)])(
    "does not change a file that is not a database",
    async (content) => {
      const path = join(folder, "notes.txt");
      writeFileSync(path, content);
      expect(await refusal(path)).toMatch(/is not a database[^\n]*\.$/);
      expect(readFileSync(path, "utf8")).toBe(content);
    },
  );

  it("refuses a folder in place of a file, and a file in place of a folder", async () => {
    expect(await refusal(folder)).toMatch(/^Cannot open or write[^\n]+$/);
    writeFileSync(join(folder, "file"), "");
    expect(await refusal(`${folder}/file/queue.db`)).toMatch(/^Cannot open or write[^\n]+$/);
  });

  const tryToOpen = `
    try {
      await (await open(args.path)).close();
      return "opened";
    } catch (error) {
      return [error.name, error.message];
    }`;

  it("refuses a folder that cannot be written", async () => {
    const closed = join(folder, "closed");
    mkdirSync(closed);
    chmodSync(closed, 0o555);
    chmodSync(folder, 0o755);
    const args = { path: `${closed}/queue.db` };
    expect(await inAnotherProcess(tryToOpen, args, { unprivileged: true })).toEqual([
      "StoreOpenError",
      expect.stringMatching(/^Cannot open or write[^\n]+folder[^\n]+\(EACCES\)\.$/),
    ]);
    expect(existsSync(join(closed, "queue.db"))).toBe(false);
  });

  it("refuses a file that cannot be written", async () => {
    const path = join(folder, "queue.db");
    await (await open(path)).close();
    chmodSync(path, 0o444);
    chmodSync(folder, 0o777);
    expect(await inAnotherProcess(tryToOpen, { path }, { unprivileged: true })).toEqual([
      "StoreOpenError",
      expect.stringMatching(
        /^Cannot open or write[^\n]+the file can be read and written \(EACCES\)\.$/,
      ),
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

describe.each(["in-process", "threaded"])("an open database, %s,", (how) => {
  let path: string;
  let adapter: Adapter;

  beforeEach(async () => {
    const folder = temporaryFolder();
    path = join(folder, "queue.db");
    run(`${path}.small`, "CREATE TABLE t (x)");
    const link = join(folder, "link.db"); // a symbolic link must make no difference
    symlinkSync(path, link);
    await (await open(path)).close();
    adapter = how === "threaded" ? await openThreaded(link) : await open(link);
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
    await expect(adapter.sweep("audit", clinic, 1)).rejects.toMatchObject(refused);
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

  it("that is restored is used again", async () => {
    renameSync(path, `${path}.away`);
    await expect(insert(adapter, 2)).rejects.toThrow("was deleted");
    renameSync(`${path}.away`, path);
    expect(await insert(adapter, 2)).toBe("done");
    await adapter.ping();
    await adapter.close();
  });

  it("reads what it has while its file is away", async () => {
    await adapter.send({
      kind: "insert",
      table: "businesses",
      record: businessOf("clinic"),
      audit: null,
    });
    renameSync(path, `${path}.away`);
    expect(await adapter.find("businesses", { slug: "clinic" })).not.toBeNull();
    renameSync(`${path}.away`, path);
    await adapter.close();
  });
});
