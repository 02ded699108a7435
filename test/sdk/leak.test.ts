import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { AbortError, QueueApi } from "../../sdk/src/index.js";
import { anEntry, anError, apiKey, entryId, queueId } from "./support/examples.js";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** What the service does, in turn. */
const behaviours: readonly ((signal: AbortSignal) => Response | Promise<Response>)[] = [
  () => Response.json({ data: anEntry() }),
  () => Response.json(anError("not_found"), { status: 404 }),
  () => Promise.reject(new TypeError("fetch failed")),
  () => new Response("<html>", { headers: { "Content-Type": "text/html" } }),
  () => new Promise<Response>(() => {}), // ignores its signal
  (signal) =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
];

test("calls with faults and aborts, and one signal for all of them, leave nothing in memory and no listener", async () => {
  let turn = 0;
  const fetch = async (_url: string, { signal }: { readonly signal: AbortSignal }) => {
    const behaviour = behaviours[turn++ % behaviours.length] as (typeof behaviours)[number];
    return behaviour(signal);
  };
  const options = { apiKey, baseUrl: "http://queue.example", fetch, timeoutMs: 1, maxRetries: 0 };
  const api = new QueueApi(options);
  const { signal } = new AbortController(); // lives as long as the program
  const endings = new Set<string>();
  const made: WeakRef<object>[] = []; // what calls give and keep: their responses and errors

  async function call(number: number): Promise<void> {
    const own = new AbortController();
    const read = api.entries.get(entryId, { signal: number % 4 === 0 ? own.signal : signal });
    if (number % 8 === 0) setImmediate(() => own.abort());
    await read.withResponse().then(
      ({ response }) => {
        made.push(new WeakRef(response));
        endings.add("success");
      },
      (error: Error) => {
        made.push(new WeakRef(error));
        endings.add(error.name);
      },
    );
  }

  await Promise.all(Array.from({ length: 400 }, (_, number) => call(number)));
  expect(getEventListeners(signal, "abort")).toEqual([]);
  const kept = Object.getOwnPropertySymbols(signal).map((name) => Reflect.get(signal, name));
  const sizes = kept.flatMap((one) => (one instanceof Set || one instanceof Map ? one.size : []));
  expect(sizes.filter((size) => size > 0)).toEqual([]); // as AbortSignal.any leaves them
  expect(made).toHaveLength(400);
  const inMemory = () => {
    collectGarbage();
    return made.filter((one) => one.deref() !== undefined);
  };
  await expect.poll(inMemory).toHaveLength(0); // the engine decides which collection frees the last one
  const errors = ["AbortError", "ConnectionError", "NotFoundError", "TimeoutError"];
  expect([...endings]).toEqual(
    expect.arrayContaining(["success", "UnexpectedResponseError", ...errors]),
  );
  expect(api).toBeInstanceOf(QueueApi); // the client is in use to the end
});

test("a watch that is left releases its signal, which still ends the other calls", async () => {
  const pending = new Promise<Response>(() => {});
  const list = () => Response.json({ data: [], nextCursor: null });
  const fetch = async (url: string) => (url.includes("/queues/") ? list() : pending);
  const api = new QueueApi({ apiKey, baseUrl: "http://queue.example", fetch });
  const controller = new AbortController();
  const other = api.entries.get(entryId, controller);
  for await (const { type } of api.entries.watch(queueId, {}, controller)) {
    expect(type).toBe("loaded");
    break;
  }
  controller.abort();
  await expect(other).rejects.toThrow(AbortError);
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});
