import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { openStore, type Store } from "@queue-api/server";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Thread } from "../../server/dist/store/sqlite/threads/thread.js";
import { openThreadedStore } from "../../server/dist/store/sqlite/threads/threaded-store.js";
import { temporaryFolder } from "../support/folder.js";
import { noRandom, testClock } from "./support/adapters.js";
import { attempt, clinic, entry, front, id, settle, today, token } from "./support/records.js";

describe("a sqlite store in threads", () => {
  const clock = testClock();
  let folder: string;
  let path: string;
  let store: Store;

  beforeEach(async () => {
    folder = temporaryFolder();
    path = join(folder, "queue.db");
    store = await openStore(`file:${path}`, { clock, random: noRandom, threads: true });
    await settle(store, { entries: Array.from({ length: 2_500 }, (_, n) => entry(n + 1)) });
  });
  afterEach(() => store.close());

  it("reads while a step waits for the write lock", async () => {
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    let admitted = false;
    const admission = store.admission.admit(attempt()).then(() => {
      admitted = true;
    });
    expect((await store.entries.get(clinic.id, entry(1).id))?.entry.tokenNumber).toBe(1);
    expect(admitted).toBe(false);
    other.exec("COMMIT");
    other.close();
    await admission;
  });

  it("reads written data in every thread", async () => {
    await store.entries.issue(clinic.id, token("made"));
    expect((await store.entries.get(clinic.id, id("made")))?.entry.status).toBe("WAITING");
    const board = await store.boards.get(clinic.id, today, { limit: 1, part: null });
    expect(board.queues.find(({ queue }) => queue.id === front.id)?.counts.WAITING).toBe(2_501);
  });

  it("uses the given clock", async () => {
    clock.advance(1_234);
    expect(await store.now()).toBe(clock());
  });

  it("throws the errors of the port", async () => {
    rmSync(path);
    await expect(store.ping()).rejects.toMatchObject({
      name: "StoreUnavailableError",
      message: expect.stringContaining("was deleted"),
    });
    const missing = openStore(`file:${join(folder, "no.db")}`, {
      random: noRandom,
      threads: true,
      create: false,
    });
    await expect(missing).rejects.toMatchObject({ name: "StoreOpenError" });
  });

  it("finishes pending operations before it closes", async () => {
    const issued = store.entries.issue(clinic.id, token("last"));
    const read = store.entries.get(clinic.id, entry(1).id);
    await store.close();
    expect((await issued).outcome).toBe("issued");
    expect(await read).not.toBeNull();
    store = await openStore(`file:${path}`, { clock, random: noRandom, threads: true });
    expect(await store.entries.get(clinic.id, id("last"))).not.toBeNull();
  });

  describe("of which one fails", () => {
    type Start = typeof Thread.start;
    const options = { clocks: null, create: false };

    /** Starts threads, and records them by name. */
    function starting(fault: (name: string, thread: Thread) => Pick<Thread, "call" | "close">) {
      const started = new Map<string, Thread>();
      const start = async (...given: Parameters<Start>) => {
        const thread = await Thread.start(...given);
        started.set(given[0], thread);
        return fault(given[0], thread);
      };
      const haveEnded = async (names: readonly string[]) => {
        for (const name of names) {
          await expect(started.get(name)?.call("now", [])).rejects.toThrow("has ended");
        }
      };
      return { start, haveEnded };
    }

    it("ends the others when one does not start", async () => {
      const { start, haveEnded } = starting((name, thread) => {
        if (name === "reports") throw new Error("no thread left");
        return thread;
      });
      await expect(openThreadedStore(path, options, start)).rejects.toThrow("no thread left");
      await haveEnded(["writer", "reader"]);
    });

    it.each(["reader", "reports"])(
      "ends the others when the %s fails to close",
      async (failing) => {
        const { start, haveEnded } = starting((name, thread) => ({
          call: (...given) => thread.call(...given),
          close: async () => {
            await thread.close();
            if (name === failing) throw new Error("cannot close");
          },
        }));
        const opened = await openThreadedStore(path, options, start);
        await expect(opened.close()).rejects.toThrow("cannot close");
        await haveEnded(["writer", "reader", "reports"]);
      },
    );
  });
});
