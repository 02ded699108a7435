/*
 * Makes many calls, of which most fail or are aborted, on the built package, and prints what is left:
 * the heap after each round and the resources that keep the process alive at the end. Run with
 * --expose-gc and the address of a service that misbehaves.
 */
import { QueueApi } from "@queue-api/sdk";

const rounds = 5;
const callsPerRound = 2000;
const atOnce = 40;

const api = new QueueApi({
  apiKey: "svc_live_x_y",
  baseUrl: process.argv[2],
  timeoutMs: 40,
  maxRetries: 0,
});
const longSignal = new AbortController().signal; // lives as long as the program
const id = "01K2Q7M8Zb4nT6wXc9RvYd3F";
const endings = new Map();

async function call(number) {
  const controller = new AbortController();
  const signal = number % 4 === 0 ? controller.signal : longSignal;
  const list = number % 7 === 0;
  const work = list ? api.entries.list(id, {}, { signal }).all() : api.entries.get(id, { signal });
  if (number % 8 === 0) controller.abort(new Error("left"));
  else if (number % 4 === 0) setImmediate(() => controller.abort(new Error("left")));
  const ending = await work.then(
    () => "success",
    (error) => error.name,
  );
  endings.set(ending, (endings.get(ending) ?? 0) + 1);
}

async function round() {
  let next = 0;
  const worker = async () => {
    while (next < callsPerRound) await call(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

function usedHeap() {
  for (let pass = 0; pass < 3; pass++) globalThis.gc();
  return process.memoryUsage().heapUsed;
}

const heap = [];
for (let number = 0; number < rounds; number++) {
  await round();
  heap.push(usedHeap());
}
const timers = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
console.log(JSON.stringify({ heap, timers, endings: Object.fromEntries(endings) }));
