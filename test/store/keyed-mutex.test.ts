import { expect, test } from "vitest";
import { StoreUnavailableError } from "../../server/src/store/errors.js";
import { KeyedMutex } from "../../server/src/store/keyed-mutex.js";

/** A keyed mutex, with a clock that each task moves: a task takes so many milliseconds. */
function setUp() {
  let now = 0;
  const mutex = new KeyedMutex(() => now);
  const run: string[] = [];
  const take = (name: string | null, task: string, ms = 0, error: Error | null = null) =>
    mutex.run(name, async () => {
      run.push(task);
      await Promise.resolve();
      now += ms;
      if (error) throw error;
      return task;
    });
  return { run, take };
}

const away = new StoreUnavailableError("away");

test("tasks with one name run one after the other, others at once", async () => {
  const { run, take } = setUp();
  const all = [take("a", "a1"), take("a", "a2"), take("b", "b1"), take(null, "free")];
  expect(run).toEqual(["a1", "b1", "free"]);
  expect(await Promise.all(all)).toEqual(["a1", "a2", "b1", "free"]);
});

test("a task runs however long the tasks before it take, if they succeed or are refused", async () => {
  const { take } = setUp();
  const tasks = Array.from({ length: 40 }, (_, n) => take("a", `a${n}`, 1_000));
  const stale = take("a", "stale", 9_000, new Error("stale"));
  const last = take("a", "last");
  await Promise.all(tasks);
  await expect(stale).rejects.toThrow("stale");
  expect(await last).toBe("last");
});

test("tasks fail without running while those before them cannot reach the database", async () => {
  const { run, take } = setUp();
  const names = ["a1", "a2", "a3", "a4"];
  const tasks = names.map((name) => take("a", name, 6_000, away));
  const ended = await Promise.allSettled(tasks);
  expect(ended.map(({ status }) => status)).toEqual(names.map(() => "rejected"));
  expect(run).toEqual(["a1", "a2"]);
  expect(await take("a", "later")).toBe("later");
});
