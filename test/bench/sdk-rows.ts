import { clinic, usualDay } from "./clinic.js";
import { megabytes, milliseconds, type Row } from "./compare.js";
import { waitingPaths } from "./rows.js";
import type { Cost, Reading } from "./sdk-worker.js";
import type { Stage } from "./stage.js";

/** Repeats a response of the service to a read of one entry, after what a network would take there and back. */
async function repeatedEntry(stage: Stage, delayMs: number) {
  const service = await stage.service({ businesses: [clinic({ front: usualDay(200) })] });
  const { key } = service;
  const [path = ""] = await waitingPaths(service);
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${service.origin}${path}`, { headers });
  const [sent, body] = [Object.fromEntries(answer.headers), await answer.text()];
  const origin = await stage.serve((_req, res) => {
    setTimeout(() => res.writeHead(200, sent).end(body), delayMs);
  });
  return { origin, key, entryId: path.split("/").at(-1) ?? "" };
}

const clientOf = (stage: Stage) =>
  stage.worker<Reading, Cost>(new URL("./sdk-worker.js", import.meta.url));

/** One figure of reading an entry with the SDK, beside the same with `fetch`. Each client has a process of its own. */
function reading(
  row: Pick<Row, "name" | "measured">,
  delayMs: number,
  load: { readonly times: number; readonly atOnce: number },
  figure: (cost: Cost) => number,
  max?: number,
): Row {
  return {
    ...row,
    shown: milliseconds,
    async sides(stage) {
      const { entryId, ...server } = await repeatedEntry(stage, delayMs);
      const side = (client: Reading["client"]) => {
        const ask = clientOf(stage);
        return async (_: number, round: number) => {
          const read = { entryId, ...(round === 0 ? { times: 2_000, atOnce: 50 } : load) };
          return figure(await ask({ client, ...server, read }));
        };
      };
      const against = "fetch and response.json()";
      const goal = max === undefined ? {} : { max };
      return { ours: side("ours"), rivals: [{ against, ...goal, side: side("fetch") }] };
    },
  };
}

const heap: Row = {
  name: "sdk-heap",
  measured: "SDK: heap while iterating 10,000 entries, at most",
  shown: megabytes,
  async sides(stage) {
    const seed = { businesses: [clinic({ front: usualDay(10_000) })] };
    const { origin, key, queues } = await stage.service(seed);
    const ask = clientOf(stage);
    const read = { queueId: queues.front ?? "" };
    let first = 0;
    const ours = async () => {
      const { maxHeapBytes, firstHeapBytes } = await ask({
        client: "ours",
        origin,
        key,
        read,
      });
      first = firstHeapBytes;
      return maxHeapBytes;
    };
    const side = async () => first;
    return { ours, rivals: [{ against: "after the first 1,000 of them", max: 1.1, side }] };
  },
};

export const sdkRows: readonly Row[] = [
  reading(
    { name: "sdk-latency", measured: "SDK: p50 of entries.get, 20 ms away" },
    20,
    { times: 50, atOnce: 1 },
    ({ p50 }) => p50,
    1.05,
  ),
  reading(
    { name: "sdk-cpu", measured: "SDK: processor time of entries.get" },
    0,
    { times: 4_000, atOnce: 10 },
    ({ cpu }) => cpu,
  ),
  heap,
];
