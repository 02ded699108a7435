import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { everyEntry, pages, sameAnswer } from "./api.js";
import { clinic, usualDay, waiting } from "./clinic.js";
import { type Race, type Row, race, type Side } from "./compare.js";
import { beside, creating, reading } from "./load.js";
import type { Service, ServiceOptions, Stage } from "./stage.js";

const entry: Race = {
  name: "entry",
  measured: "GET entry, everything on",
  against: "bare Express, same row, same JSON",
  goal: 0.8,
  async sides(stage) {
    const service = await stage.service(clinic({ front: usualDay(200) }));
    const { front = "" } = service.queues;
    const entries = await everyEntry(service, front);
    const peer = await stage.peer(front, entries);
    const waiting = entries.filter(({ status }) => status === "WAITING");
    const paths = waiting.map(({ id }) => `/v1/entries/${id}`);
    for (const path of paths) await sameAnswer(service, peer, path);
    return beside(stage, peer, reading(service, paths));
  },
};

const list: Race = {
  name: "list",
  measured: "list of 50 entries",
  against: "bare Express, same rows, same JSON",
  goal: 1,
  async sides(stage) {
    const service = await stage.service(clinic({ front: usualDay(200) }));
    const { front = "" } = service.queues;
    const peer = await stage.peer(front, await everyEntry(service, front));
    const path = `/v1/queues/${front}/entries`;
    await sameAnswer(service, peer, path);
    return beside(stage, peer, reading(service, [path]));
  },
};

/** Each of these queues gives at most 10,000 tokens. */
const create: Race = {
  name: "create",
  measured: "create, durable, with Idempotency-Key",
  against: "bare Express, one durable insert",
  goal: 0.8,
  async sides(stage) {
    const service = await stage.service(clinic(manyQueues(20, [])));
    const peer = await stage.peer("", []);
    return beside(stage, peer, creating(service, Object.values(service.queues)));
  },
};

const lastPage: Race = {
  name: "last-page",
  measured: "last page of a day of 10,000 entries",
  against: "its first page",
  goal: 0.85,
  async sides(stage) {
    const service = await stage.service(clinic({ front: usualDay(10_000) }));
    const paths: string[] = [];
    for await (const page of pages(service, service.queues.front ?? "", 50)) paths.push(page.path);
    return {
      ours: await stage.load(reading(service, paths.slice(-1))),
      theirs: await stage.load(reading(service, paths.slice(0, 1))),
    };
  },
};

/** Rows about creations in a long line: the canceled ones leave it, outside the measured time, so that it keeps its length. */
export function longLines(
  adapter: { prefix: string; label: string; goal: number },
  options: (stage: Stage) => ServiceOptions,
): Race[] {
  return [1_000, 9_000].map((people): Race => {
    const isUsual = people === 1_000;
    return {
      name: `${adapter.prefix}${isUsual ? "long" : "longest"}-line`,
      measured: `${adapter.label}create with ${people.toLocaleString("en-US")} people waiting`,
      against: "with 10 waiting",
      goal: isUsual ? adapter.goal : null,
      async sides(stage, rounds) {
        const side = async (waitingPeople: number) => {
          const queues = manyQueues(rounds + 1, waiting(waitingPeople));
          const service = await stage.service(clinic(queues), options(stage));
          const all = creating(service, Object.values(service.queues));
          // A queue gives 10,000 tokens a day: each run has its own queue, and ends before that.
          const most = isUsual ? 3_000 : 400;
          return stage.load({ ...all, cancelEvery: 64, pathEachRun: true, most });
        };
        return { ours: await side(people), theirs: await side(10) };
      },
    };
  });
}

export function manyQueues(count: number, entries: ReturnType<typeof waiting>) {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`queue-${at}`, entries]));
}

const metricsToken = "bench-0123456789abcdef";
const against = "the same without";
const goal = 0.95;

const metrics: Race = {
  name: "metrics",
  measured: "GET entry with metrics, scraped once a round",
  against,
  goal,
  async sides(stage) {
    const { service, load } = await observed(stage, { METRICS_TOKEN: metricsToken });
    const ours: Side = {
      run: async (milliseconds) => {
        const [slice] = await Promise.all([load.run(milliseconds), scrape(service)]);
        return slice;
      },
    };
    return { ours, theirs: (await observed(stage, {})).load };
  },
};

const traces: Race = {
  name: "traces",
  measured: "GET entry with traces, every one of them",
  against,
  goal,
  async sides(stage) {
    const OTEL_EXPORTER_OTLP_ENDPOINT = await collector(stage);
    const { load } = await observed(stage, { OTEL_EXPORTER_OTLP_ENDPOINT });
    return { ours: load, theirs: (await observed(stage, {})).load };
  },
};

/** A service with these settings, under reads of its waiting entries. */
async function observed(
  stage: Stage,
  env: Record<string, string>,
): Promise<{ readonly service: Service; readonly load: Side }> {
  const service = await stage.service(clinic({ front: usualDay(200) }), { env });
  const entries = await everyEntry(service, service.queues.front ?? "");
  const waiting = entries.filter(({ status }) => status === "WAITING");
  const paths = waiting.map(({ id }) => `/v1/entries/${id}`);
  return { service, load: await stage.load(reading(service, paths)) };
}

async function scrape({ origin }: Service): Promise<void> {
  const headers = { authorization: `Bearer ${metricsToken}` };
  const answer = await fetch(`${origin}/metrics`, { headers });
  if (!answer.ok) throw new Error(`the scrape was answered ${answer.status}`);
  await answer.text();
}

/** Accepts every request and discards it. */
async function collector(stage: Stage): Promise<string> {
  const server = createServer((req, res) => {
    req.resume().once("end", () => res.end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stage.atEnd(async () => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The rows about the embedded database, in their order. */
export const sqliteRows: readonly Row[] = [
  entry,
  list,
  create,
  lastPage,
  ...longLines({ prefix: "", label: "", goal: 0.8 }, () => ({})),
  metrics,
  traces,
].map(race);
