import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { QueueApi } from "@queue-api/sdk";
import { answerQuestions } from "./worker.js";

/** What a client reads: an entry so many times, or a whole list once. */
export interface Reading {
  readonly client: "ours" | "fetch";
  readonly origin: string;
  readonly key: string;
  readonly read:
    | { readonly entryId: string; readonly times: number; readonly atOnce: number }
    | { readonly queueId: string };
}

export interface Cost {
  /** Milliseconds of the processor for each entry, and the median of how long one took. */
  readonly cpu: number;
  readonly p50: number;
  /** Bytes of the heap in use after the first 1,000 entries, and at most from then on. Of a list only. */
  readonly firstHeapBytes: number;
  readonly maxHeapBytes: number;
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

answerQuestions<Reading, Cost>(async ({ client, origin, key, read }) => {
  const api = new QueueApi({ apiKey: key, baseUrl: origin });
  if ("queueId" in read) {
    const heaps: number[] = [];
    let entries = 0;
    for await (const { id } of api.entries.list(read.queueId, { limit: 100 })) {
      if (!id) throw new Error("an entry without an id came");
      if (++entries % 1_000 !== 0) continue;
      collect();
      heaps.push(process.memoryUsage().heapUsed);
    }
    return { cpu: 0, p50: 0, firstHeapBytes: heaps[0] ?? 0, maxHeapBytes: Math.max(...heaps) };
  }
  const { entryId, times, atOnce } = read;
  const url = `${origin}/v1/entries/${entryId}`;
  const headers = { authorization: `Bearer ${key}` };
  const one =
    client === "ours"
      ? () => api.entries.get(entryId)
      : async () => (await fetch(url, { headers })).json();
  const taken = new Float64Array(times);
  let started = 0;
  const reader = async () => {
    while (started < times) {
      const at = started++;
      const began = performance.now();
      await one();
      taken[at] = performance.now() - began;
    }
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: atOnce }, reader));
  const { user, system } = process.cpuUsage(before);
  taken.sort();
  const cpu = (user + system) / 1000 / times;
  return { cpu, p50: taken[times >> 1] ?? 0, firstHeapBytes: 0, maxHeapBytes: 0 };
});
