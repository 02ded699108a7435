import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { KeyReleases } from "../../server/src/store/key-releases.js";
import { memoryStore } from "../../server/src/store/memory/memory-store.js";
import { interposed } from "../support/interposed.js";

const claim = { key: "the-same-key", claimId: "c1", owner: "c1" };
const warnings: string[] = [];
const logger = { warn: (_: object, message: string) => void warnings.push(message) };

/** A database that can be unavailable, and the releases that reached it. */
function database() {
  const reached: string[] = [];
  const away = { now: true };
  const step = (name: string) => async (businessId: string) => {
    if (away.now) throw new Error("the database is away");
    reached.push(`${name} ${businessId}`);
  };
  const store = interposed(
    memoryStore(() => 0),
    {
      idempotency: { release: step("release"), endLease: step("end") },
    },
  );
  return { store, reached, away };
}

beforeEach(() => {
  vi.useFakeTimers();
  warnings.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

const elapsed = () => Date.now(); // the fake one

test("releases a key as soon as the database is available again", async () => {
  const { store, reached, away } = database();
  const releases = new KeyReleases(store, logger, elapsed);
  await releases.afterRefusal("a", { claim, takenOver: false });
  await releases.afterRefusal("b", { claim, takenOver: true });
  await releases.afterFailure("c", claim);
  expect(warnings).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(reached).toEqual([]);
  away.now = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(reached).toEqual(["release a", "end b", "end c"]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reached).toHaveLength(3);
});

test("forgets a key whose lease has ended", async () => {
  const { store, reached, away } = database();
  const releases = new KeyReleases(store, logger, elapsed);
  await releases.afterFailure("a", claim);
  await vi.advanceTimersByTimeAsync(30_000);
  away.now = false;
  await vi.advanceTimersByTimeAsync(30_000);
  expect(reached).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test("remembers at most 1,000 keys", async () => {
  const { store, reached, away } = database();
  const releases = new KeyReleases(store, logger, elapsed);
  for (let i = 0; i < 1_100; i++) await releases.afterFailure(`${i}`, claim);
  away.now = false;
  await releases.close();
  expect(reached).toHaveLength(1_000);
});
