import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { QueueApi } from "@queue-api/sdk";
import { answerQuestions } from "../worker.js";

interface List {
  readonly origin: string;
  readonly key: string;
  readonly queueId: string;
}

export interface IterationQuestion {
  readonly by: "sdk" | "hand";
  readonly list: List;
}

export interface Iteration {
  readonly entries: number;
  readonly milliseconds: number;
  /** Bytes of the heap in use after the first tenth, and at most from then on. */
  readonly firstHeap: number;
  readonly mostHeap: number;
}

/** Entries between two looks at the heap. */
const step = 10_000;
const pageSize = 100;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

type Visit = (entry: { readonly id: string }) => void;

answerQuestions<IterationQuestion, Iteration>(async ({ by, list }) => {
  let entries = 0;
  let looking = 0;
  const heaps: number[] = [];
  const visit: Visit = ({ id }) => {
    if (!id) throw new Error("an entry without an id came");
    entries += 1;
    if (entries % step !== 0) return;
    const before = performance.now();
    collect();
    heaps.push(process.memoryUsage().heapUsed);
    looking += performance.now() - before;
  };
  const began = performance.now();
  await (by === "sdk" ? bySdk(list, visit) : byHand(list, visit));
  const milliseconds = performance.now() - began - looking;
  const [firstHeap = 0] = heaps;
  return { entries, milliseconds, firstHeap, mostHeap: Math.max(...heaps) };
});

async function bySdk({ origin, key, queueId }: List, visit: Visit): Promise<void> {
  const api = new QueueApi({ apiKey: key, baseUrl: origin });
  for await (const entry of api.entries.list(queueId, { limit: pageSize })) visit(entry);
}

async function byHand({ origin, key, queueId }: List, visit: Visit): Promise<void> {
  const first = `${origin}/v1/queues/${queueId}/entries?limit=${pageSize}`;
  const headers = { authorization: `Bearer ${key}` };
  let url: string | null = first;
  while (url) {
    const answer: Response = await fetch(url, { headers });
    const page = (await answer.json()) as { data: { id: string }[]; nextCursor: string | null };
    for (const entry of page.data) visit(entry);
    url = page.nextCursor && `${first}&cursor=${page.nextCursor}`;
  }
}
