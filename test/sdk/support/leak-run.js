/*
 * Makes many calls, of which most fail or are aborted, on the built package, and prints what is left: the resources
 * that keep the process alive after calls over sockets, and the heap after each round of calls with a `fetch` that
 * fails in memory, which is ten times as fast. Run with --expose-gc, the URL of a service that misbehaves, and the
 * answers of that service.
 */
import { QueueApi } from "@queue-api/sdk";

const [baseUrl, answers] = process.argv.slice(2);
const { entry, list, refusal } = JSON.parse(answers);

const id = "01K2Q7M8Zb4nT6wXc9RvYd3F";
const longSignal = new AbortController().signal; // lives as long as the program
const options = { apiKey: "svc_live_x_y", timeoutMs: 200, maxRetries: 0 };

async function endingOf(api, number) {
  const controller = new AbortController();
  const signal = number % 4 === 0 ? controller.signal : longSignal;
  const isList = number % 7 === 0;
  const work = isList
    ? api.entries.list(id, {}, { signal }).all()
    : api.entries.get(id, { signal });
  if (number % 8 === 0) controller.abort(new Error("left"));
  else if (number % 4 === 0) setImmediate(() => controller.abort(new Error("left")));
  return work.then(
    () => "success",
    (error) => error.name,
  );
}

/** Makes calls, 40 at a time, and counts how they end. */
async function round(api, calls, endings) {
  let next = 0;
  const worker = async () => {
    while (next < calls) {
      const ending = await endingOf(api, next++);
      endings[ending] = (endings[ending] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 40 }, worker));
}

/** What the `fetch` in memory does, in turn: like the service behind the sockets. */
const behaviours = [
  (url) => Response.json(url.includes("queues") ? list : entry),
  () => Response.json(refusal, { status: 404 }),
  () => {
    throw new TypeError("fetch failed", {
      cause: Object.assign(new Error(), { code: "ECONNRESET" }),
    });
  },
  (url) => Response.json(url.includes("queues") ? list : entry),
  () => new Response(cutBody(), { headers: { "content-type": "application/json" } }),
  () => new Response("<html>", { headers: { "content-type": "text/html" } }),
  () => new Response(null, { status: 302, headers: { location: "/" } }),
];

function cutBody() {
  const controllers = [];
  const body = new ReadableStream({ start: (controller) => void controllers.push(controller) });
  controllers[0].enqueue(new TextEncoder().encode('{"data":'));
  setImmediate(() => controllers[0].error(new TypeError("terminated")));
  return body;
}

let turn = 0;

async function failingFetch(url, { signal }) {
  turn += 1;
  await new Promise((resolve) => setImmediate(resolve));
  if (turn % 400 === 0) return new Promise(() => {}); // ignores its signal
  if (turn % 200 === 0) {
    return new Promise((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason)),
    );
  }
  signal.throwIfAborted();
  return behaviours[turn % behaviours.length](url);
}

function usedHeap() {
  for (let pass = 0; pass < 3; pass++) globalThis.gc();
  return process.memoryUsage().heapUsed;
}

const overSockets = {};
await round(new QueueApi({ ...options, baseUrl }), 1000, overSockets);

const inMemory = {};
const heap = [];
const api = new QueueApi({ ...options, baseUrl: "https://queue.example", fetch: failingFetch });
for (let number = 0; number < 5; number++) {
  await round(api, 2000, inMemory);
  heap.push(usedHeap());
}
const timers = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
console.log(JSON.stringify({ heap, timers, endings: [overSockets, inMemory] }));
