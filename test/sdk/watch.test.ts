import { describe, expect, test, vi } from "vitest";
import type { CallOptions, WatchOptions } from "../../sdk/src/options.js";
import { anEntry, anError, giving, queueId } from "./support/examples.js";
import { turnOfTheLoop } from "./support/virtual-clock.js";
import { World } from "./support/world.js";

/** A watch of a queue whose list a test sets. With a status in `failing`, the polls fail. */
function watched(list: readonly object[], options: CallOptions & WatchOptions = {}) {
  const state = { list, failing: null as number | null, headers: {} };
  const polledAt: number[] = [];
  const fetch = async () => {
    polledAt.push(performance.now());
    const { list, failing: status, headers } = state;
    if (status === null) return Response.json({ data: list, nextCursor: null });
    if (status === 301) return new Response(null, { status });
    const error = anError(status === 403 ? "insufficient_scope" : "internal_error");
    return Response.json(error, { status, headers });
  };
  const world: World = new World({ fetch, maxRetries: 0 });
  const changes = world.api.entries.watch(queueId, {}, options);
  const next = async () => (await world.run(changes.next())).value;
  const gaps = () => polledAt.slice(1).map((at, i) => at - (polledAt[i] ?? 0));
  return { state, world, changes, next, polledAt, gaps };
}

const one = anEntry({ id: "1".repeat(20), token: "A1" });
const two = anEntry({ id: "2".repeat(20), token: "A2" });

describe("a watch", () => {
  test("reports every entry first, and then added, changed and removed entries", async () => {
    const { state, next } = watched([one]);
    expect(await next()).toEqual({ type: "added", entry: one });
    expect(await next()).toEqual({ type: "loaded" });
    const served = { ...one, status: "IN_SERVICE", predictedWaitMinutes: 0 };
    state.list = [served, two];
    const fields = ["status", "predictedWaitMinutes"];
    expect(await next()).toEqual({ type: "changed", entry: served, previous: one, fields });
    expect(await next()).toEqual({ type: "added", entry: two });
    const three = anEntry({ id: "3".repeat(20), token: "A3" });
    state.list = [two, three]; // as long as before
    expect(await next()).toEqual({ type: "added", entry: three });
    state.list = []; // the next poll, which must not be needed
    expect(await next()).toEqual({ type: "removed", entry: served });
  });

  test("of an empty queue is loaded once, slows down to every 30 seconds without changes, and speeds up after a change", async () => {
    const { state, world, changes, next, gaps, polledAt } = watched([]);
    expect(await next()).toEqual({ type: "loaded" });
    const added = changes.next();
    await world.until(() => polledAt.length === 8);
    state.list = [one];
    expect((await world.run(added)).value).toEqual({ type: "added", entry: one });
    state.list = [two];
    await next();
    const [quiet, busy] = [gaps().slice(0, -1), gaps().at(-1)];
    expect(quiet).toEqual([...quiet].sort((a, b) => a - b));
    expect(quiet[0]).toBe(5000); // after the first reading, which is news of an empty list too
    expect(quiet[1]).toBe(7500);
    expect(quiet.at(-1)).toBe(30_000);
    expect(busy).toBe(5000);
  });

  test("with an interval longer than any timer polls once", async () => {
    const { changes, next, polledAt } = watched([], { intervalMs: Number.POSITIVE_INFINITY });
    await next();
    void changes.next();
    await turnOfTheLoop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(polledAt).toHaveLength(1);
  });

  test("accepts other intervals", async () => {
    const { state, next, gaps } = watched([], { intervalMs: 60_000 });
    await next();
    state.list = [one];
    await next();
    expect(gaps()).toEqual([60_000]);
  });

  test("ends with the error of an onPollError that rejects", async () => {
    const onPollError = async () => Promise.reject(new Error("broken"));
    const { state, next } = watched([one], { onPollError });
    state.failing = 500;
    await expect(next()).rejects.toThrow("broken");
  });

  test("ends when its signal is aborted while onPollError is pending", async () => {
    const controller = new AbortController();
    const onPollError = () => new Promise<void>(() => controller.abort());
    const { state, world, changes } = watched([one], { onPollError, signal: controller.signal });
    state.failing = 500;
    expect(await world.run(changes.next())).toEqual({ done: true, value: undefined });
  });

  test("loses no change across failed polls, reports them, and slows down", async () => {
    const failed: string[] = [];
    const onPollError = ({ name }: Error) => failed.push(name);
    const { state, world, changes, next, gaps, polledAt } = watched([one], { onPollError });
    await next();
    await next();
    state.failing = 500;
    state.list = [{ ...one, status: "CANCELED" }, two];
    const changed = changes.next();
    await world.until(() => polledAt.length === 4);
    state.failing = null;
    expect((await world.run(changed)).value).toMatchObject({ type: "changed" });
    expect(await next()).toMatchObject({ type: "added", entry: two });
    expect(failed).toEqual(["ServerError", "ServerError", "ServerError"]);
    for (const gap of gaps()) expect(gap).toBeGreaterThanOrEqual(5000);
  });

  test("waits after a failed poll as long as the service requests", async () => {
    const { state, world, changes, gaps, polledAt } = watched([one]);
    state.failing = 503;
    state.headers = { "Retry-After": "3600" };
    void changes.next();
    await world.until(() => polledAt.length === 1);
    state.headers = {};
    await world.until(() => polledAt.length === 3);
    expect(gaps()).toEqual([3_600_000, 11_250]);
  });

  test("polls a list of several pages less often, so that it sends a request every 5 seconds", async () => {
    let polls = 0;
    const urls: URL[] = [];
    const fetch = async (url: string) => {
      const { searchParams } = new URL(url);
      urls.push(new URL(url));
      const page = Number(searchParams.get("cursor")?.slice(-1) ?? 0);
      if (page === 0) polls += 1;
      const entry = anEntry({ id: String(page).repeat(20), tokenNumber: polls });
      const nextCursor = page < 2 ? `${"0".repeat(19)}${page + 1}` : null;
      return Response.json({ data: [entry], nextCursor });
    };
    const world = new World({ fetch });
    const changes = world.api.entries.watch(queueId);
    for (let change = 0; change < 10; change++) await world.run(changes.next());
    expect(urls).toHaveLength(9);
    expect(performance.now()).toBe(2 * 3 * 5000);
  });

  test.each([
    [403, "PermissionError"],
    [301, "UnexpectedResponseError"],
  ])("fails on %i, which another poll meets too", async (status, name) => {
    const { state, world, changes } = watched([]);
    state.failing = status;
    expect(await world.failure(changes.next())).toMatchObject({ name, status });
  });

  test("goes on after a page of a gateway that starts again", async () => {
    const failed: unknown[] = [];
    const fetch = giving({ data: [one], nextCursor: null });
    fetch.mockResolvedValueOnce(new Response("404 page not found", { status: 404 }));
    const world = new World({ fetch });
    const onPollError = ({ status }: { readonly status: unknown }) => void failed.push(status);
    const changes = world.api.entries.watch(queueId, {}, { onPollError: onPollError as never });
    expect((await world.run(changes.next())).value).toEqual({ type: "added", entry: one });
    expect(failed).toEqual([404]);
  });

  test.each([
    ["before the first poll", null, []],
    ["between two changes of a poll", "added", ["added"]],
    ["between two polls", "loaded", ["added", "loaded"]],
  ])("ends when its signal is aborted, %s", async (_, last, expected) => {
    const controller = new AbortController();
    const { changes, polledAt } = watched([one], { signal: controller.signal });
    if (last === null) controller.abort();
    const seen: string[] = [];
    for await (const { type } of changes) {
      seen.push(type);
      if (type === last) controller.abort();
    }
    expect(seen).toEqual(expected);
    expect(polledAt).toHaveLength(last === null ? 0 : 1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("ends when its signal is aborted within a poll, which is no failed poll", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const { api } = new World({ fetch: () => new Promise(() => controller.abort()) });
    const onPollError = vi.fn();
    const changes = api.entries.watch(queueId, {}, { signal, onPollError });
    expect(await changes.next()).toEqual({ done: true, value: undefined });
    expect(onPollError).not.toHaveBeenCalled();
  });

  test("ends at once when it is left during a wait, and leaves no timer", async () => {
    const { changes, next } = watched([one]);
    await next();
    await next();
    const waiting = changes.next();
    await changes.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(vi.getTimerCount()).toBe(0);
  });
});
