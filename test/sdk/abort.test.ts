import { describe, expect, onTestFinished, test, vi } from "vitest";
import { AbortError } from "../../sdk/src/errors.js";
import { QueueApi } from "../../sdk/src/index.js";
import { anEntry, anError, apiKey, entryId, queueId } from "./support/examples.js";
import { always, FaultServer, httpAnswer } from "./support/fault-server.js";
import { turnOfTheLoop } from "./support/virtual-clock.js";
import { World } from "./support/world.js";

const ok = httpAnswer(200, JSON.stringify({ data: anEntry() }));
const reason = new Error("the visitor left");

describe("an abort rejects the call at once with the caller's reason,", () => {
  async function abortedWhen(server: FaultServer, ready: (world: World) => boolean) {
    const world = World.of(server);
    const controller = new AbortController();
    const call = world.api.entries.get(entryId, { signal: controller.signal });
    const failure = call.catch((error: unknown) => error);
    while (!ready(world)) await turnOfTheLoop();
    controller.abort(reason);
    expect(await failure).toBeInstanceOf(AbortError);
    expect(await failure).toMatchObject({ name: "AbortError", reason, cause: reason });
    while (server.hanging > 0) await turnOfTheLoop(); // the connection is closed
    expect(world.clock.pending).toBe(0);
  }

  test("before the request is sent", async () => {
    const server = await FaultServer.start(always(200, { data: anEntry() }));
    await abortedWhen(server, () => true);
    expect(server.requests).toEqual([]);
  });

  test.each([
    ["while the client waits for the headers", ""],
    ["within the headers", ok.slice(0, 30)],
    ["within the body", ok.slice(0, -9)],
  ])("%s", async (_, beginning) => {
    const server = await FaultServer.start((connection) => connection.write(beginning).hang());
    await abortedWhen(server, () => server.hanging > 0);
  });

  test("while the client waits for a retry", async () => {
    const server = await FaultServer.start(always(500, anError("internal_error")));
    await abortedWhen(server, (world) => world.retries.length > 0);
    expect(server.requests).toHaveLength(1);
  });

  test("while the client waits for its turn", async () => {
    const used = { "RateLimit-Limit": "9", "RateLimit-Remaining": "0", "RateLimit-Reset": "50" };
    const server = await FaultServer.start(always(200, { data: anEntry() }, used));
    const world = World.of(server);
    await world.run(world.api.entries.get(entryId));
    const controller = new AbortController();
    const { signal } = controller;
    const failure = world.api.entries.get(entryId, { signal }).catch((error: unknown) => error);
    await turnOfTheLoop();
    expect(world.clock.pending).toBeGreaterThan(0);
    controller.abort(reason);
    expect(await failure).toMatchObject({ name: "AbortError", reason, attempts: 0 });
    expect(world.clock.pending).toBe(0);
    expect(server.requests).toHaveLength(1);
  });
});

describe("a signal", () => {
  test("that is aborted after the response arrived has no effect", async () => {
    const controller = new AbortController();
    const hooks = { onResponse: () => controller.abort(reason) };
    const fetch = async () => Response.json({ data: anEntry() });
    const api = new QueueApi({ apiKey, baseUrl: "http://queue.example", fetch, hooks });
    expect(await api.entries.get(entryId, { signal: controller.signal })).toEqual(anEntry());
  });

  test("can be that of many calls and watches at once, without a warning", async () => {
    const warned = vi.fn();
    process.on("warning", warned);
    onTestFinished(() => void process.off("warning", warned));
    const server = await FaultServer.start((connection) => connection.hang());
    const { api } = World.of(server, { pacing: false });
    const controller = new AbortController();
    const { signal } = controller;
    const calls = Array.from({ length: 20 }, () => api.entries.get(entryId, { signal }));
    const watches = calls.map(() => api.entries.watch(queueId, {}, { signal }).next());
    while (server.hanging < 40) await turnOfTheLoop();
    controller.abort(reason);
    await Promise.allSettled([...calls, ...watches]);
    await turnOfTheLoop();
    expect(warned).not.toHaveBeenCalled();
  });

  test("that is aborted when fetch has a part of the response leaves no unhandled rejection", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    onTestFinished(() => void process.off("unhandledRejection", unhandled));
    const server = await FaultServer.start((to) => to.write(ok.slice(0, -9)).hang());
    const controller = new AbortController();
    const fetch = async (url: string, init: RequestInit) => {
      const response = await globalThis.fetch(url, init);
      controller.abort(reason);
      while (server.hanging > 0) await turnOfTheLoop(); // the connection is closed
      return response;
    };
    const { api } = World.of(server, { fetch });
    const { signal } = controller;
    await expect(api.entries.get(entryId, { signal })).rejects.toMatchObject({ reason });
    while (server.hanging > 0) await turnOfTheLoop();
    for (let turns = 0; turns < 3; turns++) await turnOfTheLoop();
    expect(unhandled).not.toHaveBeenCalled();
  });

  test("that is aborted at the moment of a turn sends nothing, although fetch ignores it", async () => {
    const fetch = vi.fn(async () => Response.json({ data: anEntry() }));
    for (let microtasks = 0; microtasks < 30; microtasks++) {
      const controller = new AbortController();
      fetch.mockClear();
      const api = new QueueApi({ apiKey, baseUrl: "http://queue.example", fetch });
      const call = api.entries.get(entryId, { signal: controller.signal });
      for (let waited = 0; waited < microtasks; waited++) await Promise.resolve();
      const wasSent = fetch.mock.calls.length > 0;
      controller.abort(reason);
      const failure = await call.catch((error: unknown) => error);
      if (!wasSent) expect(failure).toMatchObject({ name: "AbortError", reason });
      if (!wasSent) expect(fetch).not.toHaveBeenCalled();
    }
  });
});
