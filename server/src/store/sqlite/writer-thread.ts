import { parentPort, workerData } from "node:worker_threads";
import type { SentReply, SentTask } from "./threaded-writer.js";
import { Writer } from "./writer.js";

/*
 * The program of the thread that writes. It sends `null` once the database is open, and then a list of replies for
 * the tasks of each commit.
 */

const port = parentPort;
if (!port) throw new Error("the thread of a store cannot run as a process");
const writer = Writer.open(workerData as string);
let replies: SentReply[] = [];

port.on("message", (message: string) => {
  for (const { id, task } of JSON.parse(message) as SentTask[]) void run(id, task);
});
port.postMessage(null);

async function run(id: number, task: SentTask["task"]): Promise<void> {
  try {
    if (task) reply({ id, changes: await writer.write(task) });
    else await close(id);
  } catch (thrown) {
    const { name, message, stack = "" } = thrown as Error;
    reply({ id, error: { name, message, stack } });
  }
}

async function close(id: number): Promise<void> {
  try {
    await writer.close();
    reply({ id, changes: null });
  } finally {
    setImmediate(() => port?.close()); // after the reply, which ends the thread
  }
}

/** The tasks of one commit settle together, so this sends all of their replies in one message. */
function reply(sent: SentReply): void {
  if (replies.push(sent) === 1) process.nextTick(sendReplies);
}

function sendReplies(): void {
  port?.postMessage(JSON.stringify(replies));
  replies = [];
}
