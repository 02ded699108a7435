import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { mockQueueApi } from "@queue-api/testkit/msw";
import { setupServer } from "msw/node";
import type { Row } from "./compare.js";
import { limited, milliseconds } from "./report.js";

const requests = 500;

/** Loads the kit in a process of its own and starts the first mock there. */
const firstStart = `
  const before = performance.now();
  const { mockQueueApi } = await import("@queue-api/testkit");
  const loaded = performance.now();
  mockQueueApi();
  console.log(JSON.stringify([loaded - before, performance.now() - loaded]));`;

/** Milliseconds to load the kit, and to start the first mock. */
async function start(): Promise<[number, number]> {
  const args = ["--input-type=module", "--eval", firstStart];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Milliseconds for one answer, read whole: the mean of each round. The first round warms up. */
async function answers(rounds: number, send: Fetch, url: string, init: () => RequestInit) {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const began = performance.now();
    for (let request = 0; request < requests; request++) {
      const answer = await send(url, init());
      if (!answer.ok) throw new Error(`${url} was answered ${answer.status}`);
      await answer.arrayBuffer();
    }
    times.push((performance.now() - began) / requests);
  }
  return times.slice(1);
}

/** The test kit: how soon it is there, and how long an answer takes. */
export const kitRow: Row = {
  name: "kit",
  async measure(stage, { rounds }) {
    const starts: [number, number][] = [];
    for (let round = 0; round < rounds; round++) starts.push(await start());

    const mock = mockQueueApi();
    stage.atEnd(() => mock.close());
    const { key } = await mock.keys.create({
      ...{ days: 365, requestsPerMinute: 1_000_000, writesPerMinute: 1_000_000 },
    });
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const read = () => ({ headers });
    const body = JSON.stringify({ name: "Customer 9", phone: "919800000009" });
    let orders = 0;
    const create = () => {
      if (orders++ % 50 === 0) mock.clock.advance("1d"); // a test makes no long days
      const key = { "Idempotency-Key": `order-${String(orders).padStart(8, "0")}` };
      return { method: "POST", headers: { ...headers, ...key }, body };
    };
    const entry = `${mock.baseUrl}/v1/entries/${mock.ids.entry("first")}`;
    const entries = `${mock.baseUrl}/v1/queues/${mock.ids.queue("front")}/entries`;
    const reading = await answers(rounds, mock.fetch, entry, read);
    const creating = await answers(rounds, mock.fetch, entries, create);
    const server = setupServer(...mock.handlers);
    server.listen();
    const underMsw = await answers(rounds, fetch, entries, create);
    server.close();

    const loads = starts.map(([load]) => load);
    const firsts = starts.map(([, first]) => first);
    return [
      limited("load the kit", loads, 150, milliseconds),
      limited("start the first mock", firsts, 50, milliseconds),
      limited("read an entry by mock.fetch", reading, 1, milliseconds),
      limited("create an entry by mock.fetch", creating, 1, milliseconds),
      limited("create an entry under msw", underMsw, 1, milliseconds),
    ];
  },
};
