import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { authorization, read } from "./api.js";
import { clinic, usualDay } from "./clinic.js";
import type { Row } from "./compare.js";
import type { Repetition } from "./repeating-server.js";
import { megabytes, milliseconds } from "./report.js";
import type {
  ClientName,
  ClientQuestion,
  Iteration,
  List,
  Readings,
  Target,
} from "./sdk-worker.js";
import type { Service, Stage } from "./stage.js";

const cpu: Row = {
  name: "sdk-cpu",
  async measure(stage, { rounds }) {
    // Both sides alternate in parts, so that a slow moment of the machine meets both.
    const [reads, parts, atOnce] = [4000, 4, 10];
    const target = await repeatedEntry(stage);
    const ours = { client: await clientProcess(stage, "ours", target), costs: [] as number[] };
    const theirs = { client: await clientProcess(stage, "ky", target), costs: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      const spent = new Map([ours, theirs].map((side) => [side, 0]));
      for (let part = 0; part < parts; part++) {
        for (const [side, before] of spent) {
          const { cpu } = await side.client.readings(reads / parts, atOnce);
          spent.set(side, before + cpu);
        }
      }
      for (const [side, cpu] of spent) side.costs.push((cpu / reads) * 1000);
    }
    // Of one process, on all its threads: what a read takes beside the time that it waits.
    return [
      {
        measured: "processor time of one entries.get",
        against: "ky.get().json()",
        goal: { most: 1.15 },
        ours: ours.costs,
        theirs: theirs.costs,
        shown: (microseconds) => `${Math.round(microseconds)} µs`,
      },
    ];
  },
};

/** What a network takes there and back. */
const delayMs = 20;

const latency: Row = {
  name: "sdk-latency",
  async measure(stage, { rounds }) {
    const target = await repeatedEntry(stage, delayMs);
    const ours = await clientProcess(stage, "ours", target);
    const theirs = await clientProcess(stage, "fetch", target);
    const taken: { ours: Readings; theirs: Readings }[] = [];
    for (let round = 0; round < rounds; round++) {
      taken.push({ ours: await ours.readings(50, 1), theirs: await theirs.readings(50, 1) });
    }
    return [
      {
        measured: `p50 of entries.get, ${delayMs} ms away`,
        against: "fetch and response.json()",
        goal: { most: 1.03 },
        ours: taken.map((round) => round.ours.p50),
        theirs: taken.map((round) => round.theirs.p50),
        shown: milliseconds,
      },
    ];
  },
};

/** As many as a queue gives on one day. */
const people = 10_000;

const heap: Row = {
  name: "sdk-heap",
  async measure(stage, { rounds }) {
    const { origin, key, queues } = await stage.service(clinic({ front: usualDay(people) }));
    const list = { origin, key, queueId: queues.front ?? "" };
    const worker = stage.worker<List, Iteration>(new URL("./sdk-worker.js", import.meta.url));
    const taken: Iteration[] = [];
    for (let round = 0; round <= rounds; round++) taken.push(await worker.ask(list));
    if (taken.some(({ entries }) => entries !== people)) throw new Error("not all entries came");
    const measured = taken.slice(1); // the first round warms up
    return [
      {
        measured: `heap while iterating ${people.toLocaleString("en-US")} entries, at most`,
        against: "after the first tenth of them",
        goal: { most: 1.1 },
        ours: measured.map(({ mostHeap }) => mostHeap),
        theirs: measured.map(({ firstHeap }) => firstHeap),
        shown: megabytes,
      },
    ];
  },
};

/** One entry of the service, everything on. */
async function servedEntry(stage: Stage): Promise<Target> {
  const service = await stage.service(clinic({ front: usualDay(200) }));
  return entryOf(service);
}

/**
 * The same entry, as a server repeats it from memory whose process has nothing else to do. The service
 * itself would be what limits a fast client.
 *
 * @param delayMs - What a network would take there and back. Default: nothing.
 */
async function repeatedEntry(stage: Stage, delayMs = 0): Promise<Target> {
  const target = await servedEntry(stage);
  const answer = await recorded(target);
  const server = stage.worker<Repetition, string>(
    new URL("./repeating-server.js", import.meta.url),
  );
  return { ...target, origin: await server.ask({ answer, delayMs }) };
}

async function entryOf(service: Service): Promise<Target> {
  const { origin, key, queues } = service;
  const path = `/v1/queues/${queues.front}/entries?status=WAITING&limit=1`;
  const headers = authorization(service);
  const { data } = await read<{ data: { id: string }[] }>(origin, path, headers);
  const [entry] = data;
  if (!entry) throw new Error("nobody waits");
  return { origin, key, entryId: entry.id };
}

/** The answer to a read of the entry as it stands on the wire. */
async function recorded({ origin, key, entryId }: Target): Promise<string> {
  const headers = { authorization: `Bearer ${key}` };
  const request = get(`${origin}/v1/entries/${entryId}`, { headers });
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  const lines = answer.rawHeaders.map((part, at) => (at % 2 === 0 ? `${part}: ` : `${part}\r\n`));
  return `HTTP/1.1 200 OK\r\n${lines.join("")}\r\n${await text(answer)}`;
}

/** A client in a process of its own, which has read the entry often enough to be compiled. */
interface ClientProcess {
  readings(reads: number, atOnce: number): Promise<Readings>;
}

async function clientProcess(
  stage: Stage,
  client: ClientName,
  target: Target,
): Promise<ClientProcess> {
  const worker = stage.worker<ClientQuestion, Readings>(
    new URL("./sdk-worker.js", import.meta.url),
  );
  await worker.ask({ client, target });
  const readings = (reads: number, atOnce: number) => worker.ask({ reads, atOnce });
  await readings(2000, 50);
  return { readings };
}

/** Every row of the SDK's table, in its order. */
export const sdkRows: readonly Row[] = [cpu, latency, heap];
