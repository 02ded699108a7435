import { expect, test } from "vitest";
import { observedStore } from "../../server/src/observability/observed-store.js";
import { adapters } from "../store/support/adapters.js";
import { interposed, type Operations } from "../support/interposed.js";

/** A store that records when its operations start (`>`), end (`<`) or fail (`!`). */
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

test("the observer sees the start and the end of each operation", async () => {
  const failing = { ping: () => Promise.reject(new Error("disk I/O error")) };
  const { observed, seen, dispose } = await watched(failing);
  await observed.now();
  await expect(observed.ping()).rejects.toThrow("disk I/O error");
  expect(seen).toEqual(["> now", "< now", "> ping", "! ping"]);
  await dispose();
});
