import { parentPort, workerData } from "node:worker_threads";
import { systemClock, systemElapsed } from "../../../lib/system.js";
import type { Store } from "../../store.js";
import { openSqlite } from "../open-sqlite.js";
import {
  type Call,
  type Calls,
  type Reply,
  sentError,
  sentReplies,
  type Times,
} from "./messages.js";
import type { ThreadOptions } from "./thread.js";

/*
 * The program of a store thread. It opens the database on its own connection, runs the calls that arrive in
 * messages, and sends the replies of one turn of its event loop in one message.
 */

type Operation = (...given: readonly unknown[]) => unknown;

const port = parentPort;
if (!port) throw new Error("the thread of a store cannot run as a process");
const { path, create } = workerData as ThreadOptions;

let times: Times | null = null;
let store: Store;
let replies: Reply[] = [];

port.on("message", (text: string) => {
  const message = JSON.parse(text) as Calls;
  times = message.times;
  for (const call of message.calls) void run(call);
});

async function run(call: Call): Promise<void> {
  const { id } = call;
  try {
    reply({ id, result: await resultOf(call) });
  } catch (error) {
    reply({ id, error: sentError(error) });
  }
  // The reply to `close` is the last one, so the thread ends.
  if (call.operation === "close") process.nextTick(() => port?.close());
}

function resultOf({ operation, given }: Call): unknown {
  switch (operation) {
    case "open":
      return open();
    case "now":
    case "ping":
    case "close":
      return store[operation]();
    default:
      return operationOf(operation)(...given);
  }
}

function operationOf(name: string): Operation {
  const [noun, operation] = name.split(".") as [keyof Store, string];
  return (store[noun] as unknown as Record<string, Operation>)[operation] as Operation;
}

async function open(): Promise<void> {
  const clock = () => times?.now ?? systemClock();
  const elapsed = () => times?.elapsed ?? systemElapsed();
  store = await openSqlite(path, { clock, elapsed, create });
}

function reply(ended: Reply): void {
  // The steps of one transaction settle together, so this sends all of their replies in one message.
  if (replies.push(ended) === 1) process.nextTick(sendReplies);
}

function sendReplies(): void {
  const ended = replies;
  replies = [];
  port?.postMessage(sentReplies(ended));
}
