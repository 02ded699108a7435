import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { QueueApi } from "@queue-api/sdk";
import { answerQuestions } from "./worker.js";

/** Where a client reads one entry. */
export interface Target {
  /** For example `http://127.0.0.1:3000`. */
  readonly origin: string;
  readonly key: string;
  readonly entryId: string;
}

/** Reads the entry once. */
type Read = () => Promise<unknown>;

/** Every client under its name. Each is set up in the way in which it is fastest. */
export const clients = {
  async ours({ origin, key, entryId }: Target): Promise<Read> {
    const { QueueApi } = await import("@queue-api/sdk");
    const api = new QueueApi({ apiKey: key, baseUrl: origin });
    return () => api.entries.get(entryId);
  },

  async fetch({ origin, key, entryId }: Target): Promise<Read> {
    const url = `${origin}/v1/entries/${entryId}`;
    const headers = { authorization: `Bearer ${key}` };
    return async () => (await fetch(url, { headers })).json();
  },

  /** What ours sends with, alone. */
  async ky({ origin, key, entryId }: Target): Promise<Read> {
    const { default: ky } = await import("ky");
    const url = `${origin}/v1/entries/${entryId}`;
    const headers = { authorization: `Bearer ${key}` };
    return () => ky.get(url, { headers }).json();
  },
};

export type ClientName = keyof typeof clients;

/** The messages to a client's process: first the client, then how much to read. */
export type ClientQuestion =
  | { readonly client: ClientName; readonly target: Target }
  | { readonly reads: number; readonly atOnce: number };

/** What the reads took, in milliseconds. */
export interface Readings {
  /** Time of the processor that the process took for all of them. */
  readonly cpu: number;
  /** The median of how long one took. */
  readonly p50: number;
}

let read: () => Promise<unknown>;

answerQuestions<ClientQuestion | List, Readings | Iteration | null>(async (question) => {
  if ("queueId" in question) return iteration(question);
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
  await Promise.all(Array.from({ length: atOnce }, reader));
  const { user, system } = process.cpuUsage(cpuBefore);
  times.sort();
  return { cpu: (user + system) / 1000, p50: times[reads >> 1] ?? 0 };
}

/** The message to read a whole list. */
export interface List {
  readonly origin: string;
  readonly key: string;
  readonly queueId: string;
}

export interface Iteration {
  readonly entries: number;
  /** Bytes of the heap in use after the first tenth, and at most from then on. */
  readonly firstHeap: number;
  readonly mostHeap: number;
}

/** Entries between two looks at the heap. */
const step = 1_000;
const pageSize = 100;

async function iteration({ origin, key, queueId }: List): Promise<Iteration> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const api = new QueueApi({ apiKey: key, baseUrl: origin });
  let entries = 0;
  const heaps: number[] = [];
  for await (const { id } of api.entries.list(queueId, { limit: pageSize })) {
    if (!id) throw new Error("an entry without an id came");
    entries += 1;
    if (entries % step !== 0) continue;
    collect();
    heaps.push(process.memoryUsage().heapUsed);
  }
  const [firstHeap = 0] = heaps;
  return { entries, firstHeap, mostHeap: Math.max(...heaps) };
}
