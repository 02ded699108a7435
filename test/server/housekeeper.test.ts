import { randomBytes } from "node:crypto";
import { createLogger, openStore, type Store } from "@queue-api/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Housekeeper } from "../../server/src/housekeeper.ts";
import { auditLog } from "../store/support/audit.js";
import { auditRow, clinic } from "../store/support/records.js";
import { MovableClock, morning } from "../support/clock.js";
import { interposed } from "../support/interposed.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const silent = createLogger({ level: "silent", pretty: false });
const nothing = { auditRows: 0, idempotencyKeys: 0, windows: 0, sessions: 0, orphans: 0 };
const clock = new MovableClock(morning);
const store = await openStore("memory:", { clock: clock.read, random: randomBytes });

const housekeeperOf = (removeExpired: Store["maintenance"]["removeExpired"]) =>
  new Housekeeper(interposed(store, { maintenance: { removeExpired } }), silent);

test("expired records are removed once a minute while the service runs", async () => {
  await store.audit.append([auditRow("me", { at: morning })]);
  const rows = () => auditLog(store, clinic.id);
  const housekeeper = new Housekeeper(store, silent);
  housekeeper.start();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await rows()).toHaveLength(1);
  clock.advance({ days: 91 });
  await vi.advanceTimersByTimeAsync(59_000);
  expect(await rows()).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await rows()).toHaveLength(0);
  housekeeper.stop();
  expect(vi.getTimerCount()).toBe(0);
});

test("a round ends with the first batch that is not full, even if records expire all the time", async () => {
  const left = [2_000, 2_000];
  const removeExpired = vi.fn(async () => ({ ...nothing, windows: left.shift() ?? 5 }));
  await housekeeperOf(removeExpired).run();
  expect(removeExpired).toHaveBeenCalledTimes(3);
});

test("a failed round is logged, and the next one tries again", async () => {
  const warn = vi.spyOn(silent, "warn");
  const removeExpired = vi
    .fn()
    .mockRejectedValueOnce(new Error("locked"))
    .mockResolvedValue(nothing);
  const housekeeper = housekeeperOf(removeExpired);
  await housekeeper.run();
  expect(warn).toHaveBeenCalledTimes(1);
  await housekeeper.run();
  expect(removeExpired).toHaveBeenCalledTimes(2);
});

test("a round starts only after the previous one has ended", async () => {
  let end = (_: typeof nothing) => {};
  const removeExpired = vi.fn(() => new Promise<typeof nothing>((resolve) => (end = resolve)));
  const housekeeper = housekeeperOf(removeExpired);
  const first = housekeeper.run();
  await housekeeper.run();
  expect(removeExpired).toHaveBeenCalledTimes(1);
  end(nothing);
  await first;
});

test("a stop starts no further batch, and does not report the one that the closed store breaks off", async () => {
  const warn = vi.spyOn(silent, "warn");
  const removeExpired = vi
    .fn()
    .mockResolvedValueOnce({ ...nothing, auditRows: 2_000 })
    .mockRejectedValueOnce(new Error("the database is closed"));
  for (let ends = 0; ends < 2; ends++) {
    const housekeeper = housekeeperOf(removeExpired);
    const round = housekeeper.run();
    housekeeper.stop();
    await round;
  }
  expect(removeExpired).toHaveBeenCalledTimes(2);
  expect(warn).not.toHaveBeenCalled();
});
