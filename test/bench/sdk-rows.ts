import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { get, type IncomingMessage } from "node:http";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { importTool } from "#tools";
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

const run = promisify(execFile);

const { resolved } = await importTool("bench", "peers.js");

const packages = ["@queue-api/sdk", "stripe", "openai"] as const;

/** How often each is loaded: far more often than there are rounds, for it takes no time. */
const samples = 21;

const importTime: Row = {
  name: "sdk-import",
  async measure() {
    const times = packages.map((name) => ({ name, taken: [] as number[] }));
    for (let sample = 0; sample < samples; sample++) {
      for (const { name, taken } of times) taken.push(await loading(name));
    }
    const [ours, ...others] = times;
    const goals = { stripe: 0.5, openai: 1 } as Readonly<Record<string, number>>;
    return others.map(({ name, taken }) => ({
      measured: "time to import",
      against: name,
      goal: { most: goals[name] ?? 1 },
      ours: ours?.taken ?? [],
      theirs: taken,
      shown: milliseconds,
    }));
  },
};

/** Milliseconds that a fresh process takes to import a package. */
async function loading(name: string): Promise<number> {
  const url = JSON.stringify(resolved(name));
  const program = `const began = performance.now();
    await import(${url});
    console.log(performance.now() - began);`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program]);
  return Number(stdout);
}

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

const installedSize: Row = {
  name: "sdk-size",
  async measure(stage) {
    const size = (name: string) => installed(name, join(stage.folder, name.replace("/", "-")));
    const ours = await size("@queue-api/sdk");
    const contests = [];
    for (const [against, most] of [
      ["stripe", 0.15],
      ["openai", 1],
    ] as const) {
      contests.push({
        measured: "installed size, all dependencies",
        against,
        goal: { most },
        ours: [ours],
        theirs: [await size(against)],
        shown: megabytes,
      });
    }
    return contests;
  },
};

/** Bytes of all files once a package is packed and installed in an empty folder. */
async function installed(name: string, folder: string): Promise<number> {
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), '{ "private": true }');
  const packing = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const { stdout } = await run("npm", packing, { cwd: await folderOf(name) });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const options = ["--ignore-scripts", "--omit=peer", "--no-audit", "--no-fund"];
  await run("npm", ["install", ...options, join(folder, filename)], { cwd: folder });
  const root = join(folder, "node_modules");
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async (file) => (await stat(join(file.parentPath, file.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Where a package lies that is installed here. */
async function folderOf(name: string): Promise<string> {
  const main = fileURLToPath(resolved(name));
  for (let folder = dirname(main); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = await readFile(join(folder, "package.json"), "utf8").catch(() => "{}");
    if (JSON.parse(manifest).name === name) return folder;
  }
  throw new Error(`${name} is not installed`);
}

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
export const sdkRows: readonly Row[] = [cpu, latency, importTime, heap, installedSize];
