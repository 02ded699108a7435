import { parentPort, workerData } from "node:worker_threads";
import { systemRandom } from "./lib/system.js";
import { storeOn } from "./operations/store.js";
import { openDatabase } from "./store/open.js";
import type { SentCall, SentReply } from "./threaded-store.js";

/*
 * The program of the thread of a store. It sends `null` once the database is open, and then a list of replies for the
 * operations of each commit.
 */

const port = parentPort;
if (!port) throw new Error("the thread of a store cannot run as a process");
const database = await openDatabase(workerData as string, { random: systemRandom, create: false });
const store = storeOn(database);
let replies: SentReply[] = [];

port.on("message", (calls: readonly SentCall[]) => {
  for (const call of calls) void run(call);
});
port.postMessage(null);

type AnyFunction = (...args: readonly unknown[]) => Promise<unknown>;

async function run({ id, name, args, audit }: SentCall): Promise<void> {
  const pending = audit && { row: audit, isStored: false };
  const [noun = "", verb = ""] = name.split(".");
  const of = (pending ? store.audited(pending) : store) as unknown as Record<
    string,
    AnyFunction | Record<string, AnyFunction>
  >;
  const found = of[noun];
  const operation = typeof found === "function" ? found : found?.[verb];
  try {
    if (!operation) throw new Error(`the store has no operation ${name}`);
    const result = await operation(...args);
    reply({ id, result, isAudited: pending?.isStored ?? false });
  } catch (thrown) {
    const error = thrown as Error;
    reply({ id, error, name: error.name });
  }
  if (name === "close") setImmediate(() => port?.close()); // after the reply, which ends the thread
}

/** The operations of one commit settle together, so this sends all of their replies in one message. */
function reply(sent: SentReply): void {
  if (replies.push(sent) === 1) process.nextTick(sendReplies);
}

function sendReplies(): void {
  port?.postMessage(replies);
  replies = [];
}
