import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StoreOpenError } from "../../server/src/store/errors.js";
import { isSameDatabase, openStore } from "../../server/src/store/open.js";
import { Connection } from "../../server/src/store/sqlite/connection.js";
import type { Store } from "../../server/src/store/store.js";
import { temporaryFolder } from "../support/folder.js";
import { noRandom, testClock } from "./support/adapters.js";
import { inAnotherProcess } from "./support/other-process.js";
import { clinic, front, id, settle, today, token } from "./support/records.js";

const open = (url: string): Promise<Store> =>
  openStore(url, { clock: testClock(), random: noRandom });

/** The error with which opening a database fails. */
async function refusal(url: string): Promise<string> {
  try {
    await (await open(url)).close();
  } catch (error) {
    expect(error).toBeInstanceOf(StoreOpenError);
    return (error as StoreOpenError).message;
  }
  throw new Error("the database was opened");
}

describe("opening a database", () => {
  it("creates a file that only its owner can read", async () => {
    const path = join(folder, "new", "queue-api.db");
    const store = await open(`file:${path}`);
    const modes = [join(folder, "new"), path, `${path}-wal`].map((at) => statSync(at).mode & 0o077);
    await store.close();
    expect(modes).toEqual([0, 0, 0]);
  });

  let folder: string;

  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => chmodSync(folder, 0o755));

  it.each(["", "postgres://localhost/queue", "queue.db", "file:", "file://far.example/queue.db"])(
    "refuses the URL %j with a message of one line",
    async (url) => {
      expect(await refusal(url)).toMatch(/^The database URL .+\.$/);
    },
  );

  it("creates the file and its folders, with any characters in the path", async () => {
    const path = join(folder, "new folder", "Zoë & co?mode=ro#1 100%.db");
    await (await open(`file:${path}`)).close();
    expect(existsSync(path)).toBe(true);
  });

  it("creates neither without permission to create, and reports that the file does not exist", async () => {
    const path = join(folder, "new folder", "queue.db");
    const opened = openStore(`file:${path}`, { random: noRandom, create: false });
    await expect(opened).rejects.toThrow(StoreOpenError);
    await expect(opened).rejects.toThrow(/^There is no database at [^\n]+queue\.db\. [^\n]+\.$/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("opens the same file by path and by file URL", async () => {
    const store = await open(`file:${join(folder, "queue.db")}`);
    await settle(store);
    await store.close();
    const again = await open(`file://${join(folder, "queue.db")}`);
    expect(await again.businesses.find("slug", "clinic")).toEqual(clinic);
    await again.close();
  });

  it("knows one file by all of its names", async () => {
    const path = join(folder, "queue.db");
    await (await open(`file:${path}`)).close();
    symlinkSync(path, join(folder, "symbolic.db"));
    linkSync(path, join(folder, "hard.db"));
    writeFileSync(join(folder, "other.db"), readFileSync(path));
    const same = ["queue.db", "./symbolic.db", "hard.db", "other.db", "new.db"].map((name) =>
      isSameDatabase(`file:${path}`, `file:${folder}/${name}`),
    );
    expect(same).toEqual([true, true, true, false, false]);
  });

  it("stores everything in one file", async () => {
    const path = join(folder, "queue.db");
    const store = await open(`file:${path}`);
    await settle(store);
    await store.entries.issue(clinic.id, token("kept"));
    await store.close();

    const copy = join(folder, "copy.db");
    writeFileSync(copy, readFileSync(path));
    const again = await open(`file:${copy}`);
    expect((await again.entries.get(clinic.id, id("kept")))?.entry.tokenNumber).toBe(1);
    expect((await again.queues.day(clinic.id, front.id, today))?.counts.WAITING).toBe(1);
    await again.close();
  });

  it("does not change a database of a newer version", async () => {
    const path = join(folder, "queue.db");
    await (await open(`file:${path}`)).close();
    const newer = new Connection(path);
    newer.exec("PRAGMA user_version = 99");
    newer.checkpoint();
    newer.close();
    const before = readFileSync(path);
    expect(await refusal(`file:${path}`)).toMatch(/newer version.*Upgrade[^\n]*\.$/);
    expect(readFileSync(path)).toEqual(before);
  });

  it("does not change a database of another program", async () => {
    const path = join(folder, "other.db");
    const other = new Connection(path);
    other.exec("CREATE TABLE things (id INTEGER)");
    other.close();
    const before = readFileSync(path);
    expect(await refusal(`file:${path}`)).toMatch(/another program[^\n]*\.$/);
    expect(readFileSync(path)).toEqual(before);
  });

  it.each(["hello", "not a database at all, but long enough to look like one. ".repeat(100)])(
    "does not change a file that is not a database",
    async (content) => {
      const path = join(folder, "notes.txt");
      writeFileSync(path, content);
      expect(await refusal(`file:${path}`)).toMatch(/is not a database[^\n]*\.$/);
      expect(readFileSync(path, "utf8")).toBe(content);
    },
  );

  it("refuses a folder in place of a file, and a file in place of a folder", async () => {
    expect(await refusal(`file:${folder}`)).toMatch(/^Cannot open or write[^\n]+$/);
    writeFileSync(join(folder, "file"), "");
    expect(await refusal(`file:${folder}/file/queue.db`)).toMatch(/^Cannot open or write[^\n]+$/);
  });

  const tryToOpen = `
    try {
      await (await openStore(args.url)).close();
      return "opened";
    } catch (error) {
      return [error.name, error.message];
    }`;

  it("refuses a folder that cannot be written", async () => {
    const closed = join(folder, "closed");
    mkdirSync(closed);
    chmodSync(closed, 0o555);
    chmodSync(folder, 0o755);
    const args = { url: `file:${closed}/queue.db` };
    const { output } = await inAnotherProcess(tryToOpen, args, { unprivileged: true });
    expect(JSON.parse(output)).toEqual([
      "StoreOpenError",
      expect.stringMatching(/^Cannot open or write[^\n]+folder[^\n]+\(EACCES\)\.$/),
    ]);
    expect(existsSync(join(closed, "queue.db"))).toBe(false);
  });

  it("refuses a file that cannot be written", async () => {
    const path = join(folder, "queue.db");
    await (await open(`file:${path}`)).close();
    chmodSync(path, 0o444);
    chmodSync(folder, 0o777);
    const args = { url: `file:${path}` };
    const { output } = await inAnotherProcess(tryToOpen, args, { unprivileged: true });
    expect(JSON.parse(output)).toEqual([
      "StoreOpenError",
      expect.stringMatching(
        /^Cannot open or write[^\n]+the file can be read and written \(EACCES\)\.$/,
      ),
    ]);
  });
});
