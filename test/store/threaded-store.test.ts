import { renameSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../server/dist/open-store.js";
import { StaleError } from "../../server/dist/rules/stale.js";
import { StoreOpenError, StoreUnavailableError } from "../../server/dist/store/errors.js";
import type { Port } from "../../server/dist/store/port.js";
import { threadedStore } from "../../server/dist/threaded-store.js";
import { systemRandom as random } from "../../server/src/lib/system.js";
import { temporaryFolder } from "../support/folder.js";
import { type Started, start } from "../support/run.js";
import { start as now } from "./support/adapters.js";
import { audited, auditLog } from "./support/audit.js";
import { auditRow, clinic, entry, front, settle } from "./support/records.js";

const ended = {
  name: "StoreUnavailableError",
  message: "the thread of the store has ended",
};

/** The built store. A thread runs the built files. */
const built = new URL("../../server/dist/open-store.js", import.meta.url).href;

describe("a store whose operations run in a thread", () => {
  let path: string;

  beforeEach(() => {
    path = join(temporaryFolder(), "queue.db");
  });

  const open = () => openStore(`file:${path}`, { random, threads: true });

  /** Runs the body of an async function in another process, with a threaded `store` and `Worker` in scope. */
  function runElsewhere(body: string): Promise<Awaited<Started["ended"]>> {
    const program = `
      const { Worker } = await import("node:worker_threads");
      const { randomBytes: random } = await import("node:crypto");
      const { openStore } = await import(${JSON.stringify(built)});
      const store = await openStore(${JSON.stringify(`file:${path}`)}, { random, threads: true });
      const result = await (async () => { ${body} })();
      process.stdout.write(JSON.stringify(result));`;
    const { env } = process;
    const args = ["--input-type=module", "--eval", program];
    return start(process.execPath, args, { env }).ended;
  }

  it("stores the audit row of a request with its first change, and knows its errors by their class", async () => {
    const store = await open();
    await settle(store, { entries: [entry(1)] });
    const request = audited(store, auditRow("1"));
    await request.queues.change(clinic.id, front.id, { name: "New" });
    await request.entries.transition(clinic.id, entry(1).id, "cancel", now);
    expect(await auditLog(store, clinic.id)).toHaveLength(1);
    const stale = store.queues.change(clinic.id, front.id, { name: "Newer" }, 99);
    await expect(stale).rejects.toBeInstanceOf(StaleError);
    renameSync(path, `${path}.away`);
    await expect(store.ping()).rejects.toBeInstanceOf(StoreUnavailableError);
    expect((await store.entries.get(clinic.id, entry(1).id))?.entry.status).toBe("CANCELED");
    renameSync(`${path}.away`, path);
    await store.close();
  });

  it("keeps the name, the cause and the stack of any error", async () => {
    const store = await open();
    await settle(store);
    const wrong = store.queues.add(clinic.id, null as never);
    await expect(wrong).rejects.toMatchObject({
      name: "TypeError",
      stack: expect.stringMatching(/^TypeError: .*\n.*business-items/),
    });
    const other = new DatabaseSync(path);
    other.exec(
      "CREATE TRIGGER broken INSERT ON imports BEGIN SELECT RAISE(ROLLBACK, 'broken'); END",
    );
    other.close();
    await expect(store.imports.markCopying(true)).rejects.toMatchObject({
      name: "StoreUnavailableError",
      cause: { message: "broken" },
    });
    await store.close();
  });

  it("ends what waits before it closes, and takes nothing after it", async () => {
    const store = await open();
    await settle(store);
    const change = store.queues.change(clinic.id, front.id, { name: "Last" });
    await store.close();
    expect(await change).toMatchObject({ name: "Last" });
    await expect(store.ping()).rejects.toMatchObject(ended);
    const again = await open();
    expect(await again.queues.list(clinic.id)).toContainEqual(
      expect.objectContaining({ name: "Last" }),
    );
    await again.close();
  });

  it("rejects when its thread cannot open the database, and closes the one of this thread", async () => {
    let isClosed = false;
    const close = async () => {
      isClosed = true;
    };
    const opened = threadedStore({ close } as Port, `file:${path}`);
    await expect(opened).rejects.toThrow("There is no database at");
    await expect(opened).rejects.toBeInstanceOf(StoreOpenError);
    expect(isClosed).toBe(true);
  });

  it("is refused on the target of an unfinished copy, unless it is for the copy", async () => {
    const target = await open();
    await target.imports.markCopying(true);
    await target.close();
    await expect(open()).rejects.toBeInstanceOf(StoreOpenError);
    const options = { random, threads: true, forCopy: true };
    const copying = await openStore(`file:${path}`, options);
    await copying.imports.markCopying(false);
    await copying.close();
    await (await open()).close();
  });

  it("lets a process end that did not close it", async () => {
    const { code, stdout, stderr } = await runElsewhere("return 'opened';");
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '"opened"', stderr: "" });
  });

  it("rejects what waits when its thread is ended", async () => {
    const { stdout } = await runElsewhere(`
      Worker.prototype.postMessage = function () { void this.terminate(); };
      return Promise.all([1, 2].map(() => store.ping().catch(({ name, message }) => ({ name, message }))));`);
    expect(JSON.parse(stdout)).toEqual([ended, ended]);
  });

  it("ends the process when its thread fails outside of an operation", async () => {
    const { code, stdout, stderr } = await runElsewhere(`
      const post = Worker.prototype.postMessage;
      Worker.prototype.postMessage = function () { post.call(this, null); };
      await store.ping();`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("TypeError");
  });
});
