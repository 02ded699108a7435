import { parentPort, workerData } from "node:worker_threads";
import type { SentReply, SentTask } from "./threaded-writer.js";
import { Writer } from "./writer.js";

/*
 * The program of the thread that writes. It sends `null` once the database is open, and then a reply to each task.
 */

const port = parentPort;
if (!port) throw new Error("the thread of a store cannot run as a process");
const writer = Writer.open(workerData as string);
const reply = (sent: SentReply) => port.postMessage(sent);

port.on("message", ({ id, task }: SentTask) => void run(id, task));
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
