import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { mockQueueApi } from "@queue-api/testkit/msw";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { machine, spread, table, verdict } from "./table.js";

const fresh = 9;
const rounds = 9;
const requests = 500;

/** Loads the kit in a process of its own and starts the first mock there. */
const firstStart = `
  const before = performance.now();
  const { mockQueueApi } = await import("@queue-api/testkit");
  const loaded = performance.now();
  mockQueueApi();
  console.log(JSON.stringify([loaded - before, performance.now() - loaded]));`;

interface Measured {
  readonly name: string;
  readonly milliseconds: readonly number[];
  /** The limit of the median; null if the figure is only reported. */
  readonly goal: number | null;
}

async function starts(): Promise<Measured[]> {
  const times: [number, number][] = [];
  for (let run = 0; run < fresh; run++) {
    const { stdout } = await promisify(execFile)(process.execPath, [
      "--input-type=module",
      "--eval",
      firstStart,
    ]);
    times.push(JSON.parse(stdout));
  }
  return [
    { name: "load the kit", milliseconds: times.map(([load]) => load), goal: 150 },
    { name: "start the first mock", milliseconds: times.map(([, start]) => start), goal: 50 },
  ];
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Milliseconds for one answer, read whole: the mean of each round. */
async function answers(
  name: string,
  send: Fetch,
  init: () => RequestInit,
  url: string,
  goal: number | null = 1,
): Promise<Measured> {
  const milliseconds: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const began = performance.now();
    for (let request = 0; request < requests; request++) {
      const answer = await send(url, init());
      if (!answer.ok) throw new Error(`${name} answered ${answer.status}`);
      await answer.arrayBuffer();
    }
    if (round >= 0) milliseconds.push((performance.now() - began) / requests); // the first one warms up
  }
  return { name, milliseconds, goal };
}

async function answering(): Promise<Measured[]> {
  const mock = mockQueueApi();
  const made = await mock.keys.create({
    days: 365,
    requestsPerMinute: 1_000_000,
    writesPerMinute: 1_000_000,
  });
  const headers = { Authorization: `Bearer ${made.key}`, "Content-Type": "application/json" };
  const entry = `${mock.baseUrl}/v1/entries/${mock.ids.entry("first")}`;
  const read = () => ({ headers });
  const body = JSON.stringify({ name: "Customer 9", phone: "919800000009" });
  let orders = 0;
  const create = () => {
    if (orders++ % 50 === 0) mock.clock.advance("1d"); // a test makes no long days
    const key = { "Idempotency-Key": `order-${String(orders).padStart(8, "0")}` };
    return { method: "POST", headers: { ...headers, ...key }, body };
  };
  const entries = `${mock.baseUrl}/v1/queues/${mock.ids.queue("front")}/entries`;

  const direct = [
    await answers("read an entry by mock.fetch", mock.fetch, read, entry),
    await answers("create an entry by mock.fetch", mock.fetch, create, entries),
  ];
  const constant = http.get("https://constant.example/*", () => HttpResponse.json({ data: null }));
  const server = setupServer(constant, ...mock.handlers);
  server.listen();
  const throughMsw = [
    await answers("under msw: a constant", fetch, read, "https://constant.example/v1", null),
    await answers("under msw: read an entry", fetch, read, entry, null),
    await answers("under msw: create an entry", fetch, create, entries),
  ];
  server.close();
  await mock.close();
  return [...direct, ...throughMsw];
}

const measured = [...(await starts()), ...(await answering())];
const rows = measured.map(({ name, milliseconds, goal }) => {
  const { median, least, most } = spread(milliseconds);
  const times = [median, least, most].map((time) => time.toFixed(2));
  return [
    name,
    ...times,
    goal === null ? "" : `< ${goal}`,
    goal === null ? "" : verdict(median < goal),
  ];
});
console.log(`The test kit, in milliseconds; ${await machine()}\n`);
console.log(table(["", "median", "least", "most", "goal", ""], rows));
