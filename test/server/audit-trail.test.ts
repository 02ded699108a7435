import { createLogger } from "@queue-api/server";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { AuditTrail } from "../../server/src/http/audit-trail.ts";
import type { AuditRow } from "../../server/src/rules/records.ts";
import { auditRow } from "../store/support/records.js";
import { gate } from "../support/gate.js";

const silent = createLogger({ level: "silent", pretty: false });
const limit = 5;
const refused = (n: number) => auditRow(`${n}`, { at: 60_000 + n, status: 429 });

function log(flushEveryMs = 60_000) {
  const stored = gate();
  const kept: AuditRow[][] = [];
  const state = { away: false, failures: 0, attempts: 0 };
  const append = async (rows: readonly AuditRow[]) => {
    state.attempts++;
    if (state.away || state.failures-- > 0) throw new Error("the database is away");
    await stored.pass();
    kept.push([...rows]);
  };
  let ids = 0;
  const withIds = async (rows: readonly AuditRow[]) => rows.map((row) => ({ ...row, id: ids++ }));
  const trail = new AuditTrail({ audit: { append, withIds } } as never, silent, flushEveryMs);
  const counts = () => kept.flat().map(({ sum }) => sum?.count ?? 1);
  return { trail, state, stored, kept, counts };
}

describe("the audit trail of a key that is far over its limit", () => {
  test("uses no additional memory while the database is unavailable, and loses nothing", async () => {
    const { trail, state, counts, kept } = log();
    state.away = true;
    for (let n = 0; n < 50_000; n++) {
      trail.recordRefused(refused(n), limit);
      if (n % 10_000 === 0) await trail.flush();
    }
    expect(trail.pending).toBe(limit + 1);
    expect(trail.isFull).toBe(false);
    state.away = false;
    await trail.close();
    expect(counts()).toEqual([1, 1, 1, 1, 1, 50_000 - limit]);
    expect(kept.flat().at(-1)?.requestId).toBe(refused(49_999).requestId);
  });

  test("sends a sum again as the same row if the result of the write is unknown", async () => {
    const { trail, state, kept } = log();
    for (let n = 0; n < 20; n++) trail.recordRefused(refused(n), 0);
    state.away = true;
    await trail.flush();
    for (let n = 20; n < 30; n++) trail.recordRefused(refused(n), 0);
    state.away = false;
    await trail.close();
    expect(kept.map((rows) => rows.map(({ sum }) => sum?.count))).toEqual([[20], [10]]);
  });

  test("stores rows in batches of 1,000, and each sum by itself, so that none is added again after another one failed", async () => {
    const { trail, kept } = log();
    for (const keyId of ["a", "b"]) {
      for (let n = 0; n < 20; n++) trail.recordRefused({ ...refused(n), keyId }, 0);
    }
    trail.record(auditRow("first"));
    void trail.flush();
    for (let n = 0; n < 1_001; n++) trail.record(auditRow(`${n}`));
    await trail.close();
    expect(kept.map((rows) => rows.length)).toEqual([1, 1_000, 1, 1, 1]);
    expect(kept.slice(3).map(([row]) => row?.sum?.count)).toEqual([20, 20]);
  });

  test("leaves no timer behind when each row is stored at once, also while others are stored", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { trail, stored, kept } = log(0);
    stored.close();
    trail.record(auditRow("1"));
    await stored.reached(1);
    trail.record(auditRow("2"));
    stored.open();
    while (kept.length < 2) await Promise.resolve();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("waits between two attempts, however many rows are pending", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { trail, state } = log();
    state.away = true;
    for (let n = 0; n < 2_000; n++) trail.recordRefused(refused(n), 1_500);
    await vi.advanceTimersByTimeAsync(0);
    const tried = state.attempts;
    for (let n = 0; n < 2_000; n++) trail.recordRefused(refused(n), 0);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(state.attempts).toBe(tried);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(state.attempts).toBe(tried + 1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(state.attempts).toBe(tried + 2);
    await trail.close();
    const closed = state.attempts;
    await vi.advanceTimersByTimeAsync(600_000);
    expect(state.attempts).toBe(closed);
  });
});

test("a trail that is closed while it stores rows stores all others too, each once", async () => {
  const { trail, stored, counts } = log();
  stored.close();
  trail.record(auditRow("1"));
  const flushed = trail.flush();
  await stored.reached(1);
  trail.record(auditRow("2"));
  for (let n = 0; n < 3; n++) trail.recordRefused(refused(n), 1);
  const closed = trail.close();
  stored.open();
  await Promise.all([flushed, closed]);
  expect(counts()).toEqual([1, 1, 1, 2]);
});

test("a trail that is closed while the database fails once stores its rows and its sums", async () => {
  const { trail, state, counts } = log();
  trail.record(auditRow("1"));
  for (let n = 0; n < 3; n++) trail.recordRefused(refused(n), 1);
  state.failures = 1;
  await trail.close();
  expect(counts()).toEqual([1, 1, 2]);
});

test("a trail is full at 20,000 rows, and logs the rows that it cannot store or loses", async () => {
  const error = vi.spyOn(silent, "error");
  onTestFinished(() => error.mockRestore());
  const { trail, state } = log();
  state.away = true;
  while (!trail.isFull) trail.record(auditRow("1"));
  expect(trail.pending).toBe(20_000);
  await trail.close();
  trail.record(auditRow("late"));
  trail.recordRefused(refused(1), 0);
  const fields = error.mock.calls.map(([logged]) => logged);
  const failed = { err: expect.any(Error), pending: 20_000 };
  expect(fields).toEqual([failed, failed, { lost: 20_000 }, { lost: 1 }, { lost: 1 }]);
});
