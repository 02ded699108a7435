import { linkSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../server/src/open-store.js";
import type { Store } from "../../server/src/operations/store.js";
import { StoreOpenError } from "../../server/src/store/errors.js";
import { isSameDatabase } from "../../server/src/store/open.js";
import { temporaryFolder } from "../support/folder.js";
import { noRandom, testClock } from "./support/adapters.js";
import { clinic, settle } from "./support/records.js";

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

describe("the URL of a SQLite file", () => {
  let folder: string;

  beforeEach(() => {
    folder = temporaryFolder();
  });

  it.each(["", "postgres://localhost/queue", "queue.db", "file:", "file://far.example/queue.db"])(
    "refuses the URL %j with a message of one line",
    async (url) => {
      expect(await refusal(url)).toMatch(/^The database URL .+\.$/);
    },
  );

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
});
