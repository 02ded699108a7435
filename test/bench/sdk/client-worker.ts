import { answerQuestions } from "../worker.js";
import { type ClientName, clients, type Target } from "./clients.js";

/** The messages to a client's process: first the client, then how much to read. */
export type ClientQuestion =
  | { readonly client: ClientName; readonly target: Target }
  | { readonly reads: number; readonly atOnce: number };

/** How long all reads took together, and each of them, in milliseconds. */
export interface Readings {
  readonly total: number;
  /** Time of the processor that the process took for them. */
  readonly cpu: number;
  readonly p50: number;
  readonly p99: number;
}

let read: () => Promise<unknown>;

answerQuestions<ClientQuestion, Readings | null>(async (question) => {
  if ("reads" in question) return readings(question);
  read = await clients[question.client](question.target);
  return null;
});

async function readings({ reads, atOnce }: { reads: number; atOnce: number }): Promise<Readings> {
  const times = new Float64Array(reads);
  let started = 0;
  const reader = async () => {
    while (started < reads) {
      const number = started++;
      const began = performance.now();
      await read();
      times[number] = performance.now() - began;
    }
  };
  const cpuBefore = process.cpuUsage();
  const began = performance.now();
  await Promise.all(Array.from({ length: atOnce }, reader));
  const total = performance.now() - began;
  const { user, system } = process.cpuUsage(cpuBefore);
  times.sort();
  return {
    total,
    cpu: (user + system) / 1000,
    p50: times[reads >> 1] ?? 0,
    p99: times[Math.floor(reads * 0.99)] ?? 0,
  };
}
