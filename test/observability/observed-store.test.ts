import { expect, test } from "vitest";
import { observedStore } from "../../server/src/observability/observed-store.js";
import type { EntryTimes } from "../../server/src/rules/statistics.js";
import type { Store } from "../../server/src/store/store.js";
import { adapters } from "../store/support/adapters.js";
import { interposed, type Operations } from "../support/interposed.js";

const days = { first: "2026-11-01", last: "2026-11-30" };

/** A store whose steps are noted as they begin (`>`) and end (`<`), or fail (`!`). */
async function watched(steps: Operations) {
  const [adapter] = adapters;
  if (!adapter) throw new Error("there is no store to test with");
  const { store, dispose } = await adapter.open();
  const seen: string[] = [];
  const observed = observedStore(interposed(store, steps), (name) => {
    seen.push(`> ${name}`);
    return (failure) => seen.push(`${failure === undefined ? "<" : "!"} ${name}`);
  });
  return { observed, seen, dispose };
}

test("a step is told from its beginning to its end", async () => {
  const failing = { ping: () => Promise.reject(new Error("disk I/O error")) };
  const { observed, seen, dispose } = await watched(failing);
  await observed.now();
  await expect(observed.ping()).rejects.toThrow("disk I/O error");
  expect(seen).toEqual(["> now", "< now", "> ping", "! ping"]);
  await dispose();
});

test("of what is read piece by piece, each piece is told, and nothing stays open", async () => {
  let left = 0;
  const entryTimes: Store["statistics"]["entryTimes"] = async function* () {
    try {
      const none: readonly EntryTimes[] = [];
      yield none;
      yield none;
      throw new Error("disk I/O error");
    } finally {
      left++;
    }
  };
  const { observed, seen, dispose } = await watched({ statistics: { entryTimes } });
  const whole = async () => {
    for await (const _ of observed.statistics.entryTimes("clinic", days, null));
  };
  await expect(whole()).rejects.toThrow("disk I/O error");
  const [began, ended] = ["> statistics.entryTimes", "< statistics.entryTimes"];
  expect(seen.splice(0)).toEqual([began, ended, began, ended, began, "! statistics.entryTimes"]);

  for await (const _ of observed.statistics.entryTimes("clinic", days, null)) break;
  expect(seen).toEqual([began, ended]);
  expect(left).toBe(2);
  await dispose();
});
