import { describe, expect, onTestFinished, test, vi } from "vitest";
import { AbortError } from "../../sdk/src/errors.js";
import { anEntry, anError, entryId, queueId, usedUp } from "./support/examples.js";
import { faultServer, httpAnswer, stall } from "./support/fault-server.js";
import { turnOfTheLoop } from "./support/virtual-clock.js";
import { World } from "./support/world.js";

const ok = httpAnswer(200, JSON.stringify({ data: anEntry() }));
const reason = new Error("the visitor left");
const never = () => new Promise<Response>(() => {});

/** Calls what happens only in the process while the test runs. */
function onProcess(event: "warning" | "unhandledRejection") {
  const listener = vi.fn();
  process.on(event, listener);
  onTestFinished(() => void process.off(event, listener));
  return listener;
}

test("a late response of a fetch that ignores its signal is not read", async () => {
  const cancel = vi.fn();
  const responses: ((response: Response) => void)[] = [];
  const world = new World({ fetch: () => new Promise((resolve) => responses.push(resolve)) });
  const controller = new AbortController();
  const call = world.api.entries.get(entryId, controller);
  const failed = call.catch((error: unknown) => error);
  while (responses.length === 0) await turnOfTheLoop();
  controller.abort(reason);
  expect(await failed).toBeInstanceOf(AbortError);
  responses[0]?.(new Response(new ReadableStream({ cancel })));
  await turnOfTheLoop();
  expect(cancel).toHaveBeenCalledTimes(1);
});

describe("an abort rejects the call at once with the caller's reason,", () => {
  async function abortedWhen(world: World, isReady: () => boolean): Promise<unknown> {
    const controller = new AbortController();
    const call = world.api.entries.get(entryId, { signal: controller.signal });
    const failed = call.catch((error: unknown) => error);
    while (!isReady()) await turnOfTheLoop();
    controller.abort(reason);
    const failure = await failed;
    expect(failure).toBeInstanceOf(AbortError);
    expect(failure).toMatchObject({ name: "AbortError", reason, cause: reason });
    return failure;
  }

  test.each([
    ["while the client waits for the headers", ""],
    ["within the headers", ok.slice(0, 30)],
    ["within the body", ok.slice(0, -9)],
  ])("%s, and closes the connection", async (_, beginning) => {
    const server = await faultServer(stall(beginning));
    await abortedWhen(World.of(server), () => server.hanging() > 0);
    while (server.hanging() > 0) await turnOfTheLoop();
  });

  test.each<[string, () => Promise<Response>, (world: World, sent: number) => boolean, number]>([
    ["before the request is sent", never, () => true, 0],
    ["while fetch ignores it", never, (_, sent) => sent === 1, 1],
    [
      "while the client waits for a retry",
      async () => Response.json(anError("internal_error"), { status: 500 }),
      ({ retries }) => retries.length > 0,
      1,
    ],
    [
      "while the client waits for its turn",
      async () => Response.json({ data: anEntry() }, { headers: usedUp(9, 50) }),
      ({ waits }) => waits.length > 0,
      0,
    ],
  ])("%s, and leaves no timer", async (when, answer, isReady, attempts) => {
    const fetch = vi.fn(answer);
    const world = new World({ fetch });
    if (when.endsWith("turn")) await world.run(world.api.entries.get(entryId));
    fetch.mockClear();
    const failure = await abortedWhen(world, () => isReady(world, fetch.mock.calls.length));
    expect(failure).toMatchObject({ attempts });
    expect(fetch).toHaveBeenCalledTimes(attempts);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a signal", () => {
  test("that is aborted after the response arrived has no effect", async () => {
    const controller = new AbortController();
    const hooks = { onResponse: () => controller.abort(reason) };
    const fetch = async () => Response.json({ data: anEntry() });
    const { api } = new World({ fetch, hooks });
    expect(await api.entries.get(entryId, { signal: controller.signal })).toEqual(anEntry());
  });

  test("can be that of many calls and watches at once, without a warning", async () => {
    const warned = onProcess("warning");
    const fetch = vi.fn(never);
    const { api } = new World({ fetch, pacing: false });
    const controller = new AbortController();
    const { signal } = controller;
    const calls = Array.from({ length: 20 }, () => api.entries.get(entryId, { signal }));
    const watches = calls.map(() => api.entries.watch(queueId, {}, { signal }).next());
    while (fetch.mock.calls.length < 40) await turnOfTheLoop();
    controller.abort(reason);
    await Promise.allSettled([...calls, ...watches]);
    await turnOfTheLoop();
    expect(warned).not.toHaveBeenCalled();
  });

  test("that is aborted when fetch has a part of the response leaves no unhandled rejection", async () => {
    const unhandled = onProcess("unhandledRejection");
    const server = await faultServer(stall(ok.slice(0, -9)));
    const controller = new AbortController();
    const fetch = async (url: string, init: RequestInit) => {
      const response = await globalThis.fetch(url, init);
      controller.abort(reason);
      while (server.hanging() > 0) await turnOfTheLoop(); // the connection is closed
      return response;
    };
    const { api } = World.of(server, { fetch });
    const { signal } = controller;
    await expect(api.entries.get(entryId, { signal })).rejects.toMatchObject({ reason });
    while (server.hanging() > 0) await turnOfTheLoop();
    for (let turns = 0; turns < 3; turns++) await turnOfTheLoop();
    expect(unhandled).not.toHaveBeenCalled();
  });

  test("that is aborted at the moment of a turn sends nothing, although fetch ignores it, and gives the turn back", async () => {
    const fetch = vi.fn(never);
    const { api } = new World({ fetch });
    for (let microtasks = 0; microtasks < 30; microtasks++) {
      const controller = new AbortController();
      fetch.mockClear();
      const call = api.entries.get(entryId, { signal: controller.signal });
      for (let waited = 0; waited < microtasks; waited++) await Promise.resolve();
      const sent = fetch.mock.calls.length;
      controller.abort(reason);
      await expect(call).rejects.toMatchObject({ name: "AbortError", reason });
      expect(fetch).toHaveBeenCalledTimes(sent);
    }
    fetch.mockClear();
    for (let turn = 0; turn < 4; turn++) api.entries.get(entryId).catch(() => {});
    await turnOfTheLoop();
    expect(fetch).toHaveBeenCalledTimes(4); // as many as may be in progress at first
  });
});

test("an abort of many waiting calls looks at their line once, and not once for each", async () => {
  const { api } = new World({ fetch: never });
  const controller = new AbortController();
  const { signal } = controller;
  const calls = Array.from({ length: 500 }, () => api.entries.get(entryId, { signal }));
  const ended = Promise.allSettled(calls);
  await turnOfTheLoop();
  const now = vi.spyOn(performance, "now");
  onTestFinished(() => now.mockRestore());
  controller.abort(reason);
  await ended;
  expect(now.mock.calls.length).toBeLessThan(500 * 50);
});
