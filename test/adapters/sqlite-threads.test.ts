import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openSqlite } from "../../server/dist/store/sqlite/open.js";
import { ThreadedWriter } from "../../server/dist/store/sqlite/threaded-writer.js";
import { temporaryFolder } from "../support/folder.js";
import { inAnotherProcess, startProcess } from "./support/other-process.js";
import { entryOf, id } from "./support/records.js";
import { insertion } from "./support/writes.js";

describe("the threaded sqlite adapter", () => {
  let path: string;

  beforeEach(() => {
    path = join(temporaryFolder(), "queue.db");
  });

  const open = () => openSqlite(path, { create: true, threads: true });

  it("rejects when its thread cannot open the database", async () => {
    await expect(ThreadedWriter.start(`${path}.no`)).rejects.toThrow("ENOENT");
  });

  it("writes what waits before it closes, and nothing after it", async () => {
    const adapter = await open();
    const sent = adapter.send(insertion("entries", entryOf(1)));
    const read = adapter.find("entries", { id: id("e1") });
    await adapter.close();
    expect(await sent).toBe("done");
    expect(await read).toBeNull();
    await expect(adapter.send(insertion("entries", entryOf(2)))).rejects.toMatchObject({
      name: "StoreUnavailableError",
      message: "the thread that writes has ended",
    });
    const again = await open();
    expect(await again.find("entries", { id: id("e1") })).not.toBeNull();
    await again.close();
  });

  it("lets a process end that did not close it", async () => {
    const body = "await open(args.path, { threads: true }); return 'opened';";
    expect(await inAnotherProcess(body, { path })).toBe("opened");
  });

  it("rejects what waits when its thread is ended", async () => {
    const body = `
      const { Worker } = await import("node:worker_threads");
      Worker.prototype.postMessage = function () { void this.terminate(); };
      const adapter = await open(args.path, { threads: true });
      return Promise.all([1, 2].map(() => adapter.ping().catch(({ name, message }) => [name, message])));`;
    const ended = ["StoreUnavailableError", "the thread that writes has ended"];
    expect(await inAnotherProcess(body, { path })).toEqual([ended, ended]);
  });

  it("ends the process when its thread fails outside of a write", async () => {
    const body = `
      const { Worker } = await import("node:worker_threads");
      const post = Worker.prototype.postMessage;
      Worker.prototype.postMessage = function () { post.call(this, "not JSON"); };
      const adapter = await open(args.path, { threads: true });
      await adapter.ping();
      return "pinged";`;
    const { stderr, ...rest } = await startProcess(body, { path }).ended;
    expect(rest).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("SyntaxError");
  });
});
