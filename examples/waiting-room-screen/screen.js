import { QueueApi } from "@queue-api/sdk";
import { board } from "./board.js";

if (!process.env.QUEUE_API_KEY) {
  console.error("Set QUEUE_API_KEY to an API key: `npm start` in the repository prints one.");
  process.exit(1);
}

const api = new QueueApi({ baseUrl: process.env.QUEUE_API_BASE_URL ?? "http://127.0.0.1:3000" });

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop.abort());

const queues = await api.queues.list();
const queue = queues.find(({ id, isActive }) =>
  process.env.QUEUE_ID ? id === process.env.QUEUE_ID : isActive,
);
if (!queue) throw new Error("the business has no such queue");

const entries = new Map();
const changes = api.entries.watch(
  queue.id,
  {},
  {
    signal: stop.signal,
    intervalMs: Number(process.env.POLL_SECONDS ?? 5) * 1000,
    onPollError: (error) => console.error(`no news at the moment: ${error.message}`),
  },
);

let due = false;
try {
  for await (const { type, entry } of changes) {
    if (type === "removed") entries.delete(entry.id);
    else if (entry) entries.set(entry.id, entry); // `loaded` has none, and draws the board of an empty queue
    if (!due) setImmediate(draw); // one board for all the changes of a poll
    due = true;
  }
} catch (error) {
  if (!stop.signal.aborted) throw error;
}

function draw() {
  due = false;
  if (process.stdout.isTTY) process.stdout.write("\x1b[2J\x1b[H");
  console.log(board(queue.name, [...entries.values()]));
}
