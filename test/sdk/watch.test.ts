import { describe, expect, test, vi } from "vitest";
import { anEntry, anError, queueId } from "./support/examples.js";
import { turnOfTheLoop } from "./support/virtual-clock.js";
import { World } from "./support/world.js";

/** A client of a queue whose list a test sets. With a status in `failing`, the polls fail. */
function watched(list: readonly object[], failing: number | null = null) {
  const state = { list, failing, headers: {} };
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
  const gaps = () => polledAt.slice(1).map((at, i) => at - (polledAt[i] ?? 0));
  return { state, world, polledAt, gaps };
}

const one = anEntry({ id: "1".repeat(20), token: "A1" });
const two = anEntry({ id: "2".repeat(20), token: "A2" });

describe("a watch", () => {
  test("reports every entry first, and then added, changed and removed entries", async () => {
    const { state, world } = watched([one]);
    const changes = world.api.entries.watch(queueId);
    const next = async () => (await world.run(changes.next())).value;
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
    await changes.return?.();
  });

  test("of an empty queue is loaded once, slows down to every 30 seconds without changes, and speeds up after a change", async () => {
    const { state, world, gaps, polledAt } = watched([]);
    const changes = world.api.entries.watch(queueId);
    expect((await world.run(changes.next())).value).toEqual({ type: "loaded" });
    const added = changes.next();
    await world.until(() => polledAt.length === 8);
    state.list = [one];
    expect((await world.run(added)).value).toEqual({ type: "added", entry: one });
    state.list = [two];
    await world.run(changes.next());
    await changes.return?.();
    const [quiet, busy] = [gaps().slice(0, -1), gaps().at(-1)];
    expect(quiet).toEqual([...quiet].sort((a, b) => a - b));
    expect(quiet[0]).toBe(5000); // after the first reading, which is news of an empty list too
    expect(quiet[1]).toBe(7500);
    expect(quiet.at(-1)).toBe(30_000);
    expect(busy).toBe(5000);
  });

  test("with an interval longer than any timer polls once", async () => {
    const { world, polledAt } = watched([]);
    const changes = world.api.entries.watch(queueId, {}, { intervalMs: Number.POSITIVE_INFINITY });
    await world.run(changes.next());
    void changes.next();
    await turnOfTheLoop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(polledAt).toHaveLength(1);
    await changes.return();
  });

  test("accepts other intervals", async () => {
    const { state, world, gaps } = watched([]);
    const changes = world.api.entries.watch(queueId, {}, { intervalMs: 60_000 });
    await world.run(changes.next());
    state.list = [one];
    await world.run(changes.next());
    expect(gaps()).toEqual([60_000]);
    await changes.return?.();
  });

  test("ends with the error of an onPollError that rejects", async () => {
    const { state, world } = watched([one]);
    state.failing = 500;
    const onPollError = async () => Promise.reject(new Error("broken"));
    const changes = world.api.entries.watch(queueId, {}, { onPollError });
    await expect(world.run(changes.next())).rejects.toThrow("broken");
  });

  test("ends when its signal is aborted while onPollError is pending", async () => {
    const { state, world } = watched([one]);
    state.failing = 500;
    const controller = new AbortController();
    const onPollError = () => new Promise<void>(() => controller.abort());
    const options = { onPollError, signal: controller.signal };
    const changes = world.api.entries.watch(queueId, {}, options);
    expect(await world.run(changes.next())).toEqual({ done: true, value: undefined });
  });

  test("loses no change across failed polls, reports them, and slows down", async () => {
    const { state, world, gaps, polledAt } = watched([one]);
    const failed: string[] = [];
    const onPollError = ({ name }: Error) => failed.push(name);
    const changes = world.api.entries.watch(queueId, {}, { onPollError });
    await world.run(changes.next());
    await world.run(changes.next());
    state.failing = 500;
    state.list = [{ ...one, status: "CANCELED" }, two];
    const next = changes.next();
    await world.until(() => polledAt.length === 4);
    state.failing = null;
    expect((await world.run(next)).value).toMatchObject({ type: "changed" });
    expect((await world.run(changes.next())).value).toMatchObject({ type: "added", entry: two });
    expect(failed).toEqual(["ServerError", "ServerError", "ServerError"]);
    for (const gap of gaps()) expect(gap).toBeGreaterThanOrEqual(5000);
    await changes.return?.();
  });

  test("waits after a failed poll as long as the service requests", async () => {
    const { state, world, gaps, polledAt } = watched([one]);
    state.failing = 503;
    state.headers = { "Retry-After": "3600" };
    const changes = world.api.entries.watch(queueId);
    const next = changes.next();
    await world.until(() => polledAt.length === 1);
    state.headers = {};
    await world.until(() => polledAt.length === 3);
    await changes.return();
    await next;
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
    await changes.return();
    expect(urls).toHaveLength(9);
    expect(performance.now()).toBe(2 * 3 * 5000);
  });

  test.each([
    [403, "PermissionError"],
    [301, "UnexpectedResponseError"],
  ])("fails on %i, which another poll meets too", async (status, name) => {
    const { world } = watched([], status);
    const changes = world.api.entries.watch(queueId);
    expect(await world.failure(changes.next())).toMatchObject({ name, status });
  });

  test("goes on after a page of a gateway that starts again", async () => {
    const failed: unknown[] = [];
    const answers = [
      () => new Response("404 page not found", { status: 404 }),
      () => Response.json({ data: [one], nextCursor: null }),
    ];
    const world = new World({ fetch: async () => (answers.shift() ?? Response.error)() });
    const onPollError = ({ status }: { readonly status: unknown }) => void failed.push(status);
    const changes = world.api.entries.watch(queueId, {}, { onPollError: onPollError as never });
    expect((await world.run(changes.next())).value).toEqual({ type: "added", entry: one });
    expect(failed).toEqual([404]);
    await changes.return();
  });

  test.each([
    ["before the first poll", null, []],
    ["between two changes of a poll", "added", ["added"]],
    ["between two polls", "loaded", ["added", "loaded"]],
  ])("ends when its signal is aborted, %s", async (_, last, expected) => {
    const { world, polledAt } = watched([one]);
    const controller = new AbortController();
    if (last === null) controller.abort();
    const seen: string[] = [];
    for await (const { type } of world.api.entries.watch(queueId, {}, controller)) {
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
    const { world } = watched([one]);
    const changes = world.api.entries.watch(queueId);
    await world.run(changes.next());
    await world.run(changes.next());
    const waiting = changes.next();
    await changes.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(vi.getTimerCount()).toBe(0);
  });
});
