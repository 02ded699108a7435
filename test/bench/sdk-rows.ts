import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Entry } from "@queue-api/contract";
import { clinic, usualDay } from "./clinic.js";
import { type Contest, megabytes, milliseconds, type Row } from "./compare.js";
import { read } from "./rows.js";
import type { Cost, Reading } from "./sdk-worker.js";
import type { Stage } from "./stage.js";

/** Repeats an answer of the service to a read of one entry, after what a network would take there and back. */
async function repeatedEntry(stage: Stage, delayMs: number) {
  const { origin, key, queues, ...tenant } = await stage.service(clinic({ front: usualDay(200) }));
  const path = `/v1/queues/${queues.front}/entries?status=WAITING&limit=1`;
  const { data } = await read<{ data: Entry[] }>({ origin, key, queues, ...tenant }, path);
  const entryId = data[0]?.id ?? "";
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${origin}/v1/entries/${entryId}`, { headers });
  const [sent, body] = [Object.fromEntries(answer.headers), await answer.text()];
  const server = createServer((_req, res) => {
    setTimeout(() => res.writeHead(200, sent).end(body), delayMs);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stage.atEnd(async () => {
    server.close();
    server.closeAllConnections();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key, entryId };
}

const clientOf = (stage: Stage) =>
  stage.worker<Reading, Cost>(new URL("./sdk-worker.js", import.meta.url));

/** One figure of reading an entry with the SDK, beside the same with `fetch`. Each client has a process of its own. */
function reading(
  name: string,
  delayMs: number,
  { times, atOnce }: { readonly times: number; readonly atOnce: number },
  contest: Pick<Contest, "measured" | "goal" | "shown">,
  figure: (cost: Cost) => number,
): Row {
  return {
    name,
    async measure(stage, { rounds }) {
      const { entryId, ...server } = await repeatedEntry(stage, delayMs);
      const sides = (["ours", "fetch"] as const).map((client) => {
        return { client, worker: clientOf(stage), figures: [] as number[] };
      });
      for (let round = 0; round <= rounds; round++) {
        for (const { client, worker, figures } of sides) {
          const warmUp = { entryId, times: 2_000, atOnce: 50 };
          const read = round === 0 ? warmUp : { entryId, times, atOnce };
          const cost = await worker.ask({ client, ...server, read });
          if (round > 0) figures.push(figure(cost));
        }
      }
      const [ours = [], theirs = []] = sides.map(({ figures }) => figures);
      return [{ ...contest, against: "fetch and response.json()", ours, theirs }];
    },
  };
}

const heap: Row = {
  name: "sdk-heap",
  async measure(stage, { rounds }) {
    const { origin, key, queues } = await stage.service(clinic({ front: usualDay(10_000) }));
    const worker = clientOf(stage);
    const read = { queueId: queues.front ?? "" };
    const costs: Cost[] = [];
    for (let round = 0; round <= rounds; round++) {
      costs.push(await worker.ask({ client: "ours", origin, key, read }));
    }
    const measured = costs.slice(1); // the first round warms up
    return [
      {
        measured: "SDK: heap while iterating 10,000 entries, at most",
        against: "after the first 1,000 of them",
        goal: { most: 1.1 },
        shown: megabytes,
        ours: measured.map(({ mostHeap }) => mostHeap),
        theirs: measured.map(({ firstHeap }) => firstHeap),
      },
    ];
  },
};

/** The rows about the SDK, in their order. */
export const sdkRows: readonly Row[] = [
  reading(
    "sdk-latency",
    20,
    { times: 50, atOnce: 1 },
    { measured: "SDK: p50 of entries.get, 20 ms away", goal: { most: 1.05 }, shown: milliseconds },
    ({ p50 }) => p50,
  ),
  reading(
    "sdk-cpu",
    0,
    { times: 4_000, atOnce: 10 },
    { measured: "SDK: processor time of entries.get", goal: null, shown: milliseconds },
    ({ cpu }) => cpu,
  ),
  heap,
];
