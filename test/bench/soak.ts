import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Command } from "commander";
import { clinic, usualDay } from "./clinic.js";
import type { Load, Slice } from "./load-worker.js";
import type { Memory, MemoryQuestion } from "./soak-companion.js";
import { onStage, type Service, type Stage } from "./stage.js";
import { table, verdict } from "./table.js";

/** How much memory may grow between the first look and the last. */
const goal = 1.1;
/** When memory is first looked at, as a share of the whole time. */
const firstLook = 1 / 5;
/** The time of one kind of requests. */
const sceneMs = 2_000;

await new Command("npm run soak --")
  .description(
    "Puts the service under mixed load, and compares the memory of its process at the end with that\nafter a fifth of the time. A goal that is missed is marked and is no failure.",
  )
  .option("--minutes <n>", "how long", Number, 5)
  .action(async ({ minutes }: { minutes: number }) => {
    console.log(await onStage([], (stage) => soak(stage, minutes * 60_000)));
  })
  .parseAsync();

/** What callers do in turn: they look, fail in several ways, and create, in a queue that gives a few tokens a second. */
function scenesOf({ key, queues, origin }: Service): Load[] {
  const front = `/v1/queues/${queues.front}`;
  const load = { origin, connections: 32, milliseconds: sceneMs };
  const read = { ...load, body: null, idempotencyKey: null };
  const body = JSON.stringify({ name: "Kiran Bose", phone: "+91 98000 00099" });
  const reads = [
    front,
    `${front}/entries`,
    "/v1/me",
    "/v1/services",
    "/v1/queues",
    "/v1/appointments",
  ];
  const unknown = ["/v1/nothing", `/v1/entries/${"0".repeat(24)}`];
  const create = { ...load, callers: [{ key, paths: [`${front}/entries`] }] };
  return [
    { ...read, status: 200, callers: [{ key, paths: reads }] },
    { ...read, status: 404, callers: [{ key, paths: unknown }] },
    { ...read, status: 400, callers: [{ key, paths: [`${front}/entries?limit=0`] }] },
    { ...create, status: 400, body: "{", idempotencyKey: null },
    { ...create, status: 201, body, idempotencyKey: "fresh", amount: 32 },
    { ...create, status: 422, body: `${body} `.replace("Kiran", "Asha"), idempotencyKey: "used" },
  ];
}

async function soak(stage: Stage, milliseconds: number): Promise<string> {
  const companion = new URL("./soak-companion.js", import.meta.url).href;
  const service = await stage.service(clinic({ front: usualDay(200) }), {
    nodeOptions: ["--expose-gc", `--import=${companion}`],
  });
  const load = stage.worker<Load, Slice>(new URL("./load-worker.js", import.meta.url));
  const scenes = scenesOf(service);
  await load.ask({ ...(scenes[4] as Load), idempotencyKey: "used", connections: 1, amount: 1 });

  let [played, requests] = [0, 0];
  const playUntil = async (end: number) => {
    while (played < end) {
      for (const scene of scenes) {
        const slice = await load.ask(scene);
        played += slice.milliseconds;
        requests += slice.answers;
      }
      const { resident } = await memory(service.process, { collect: false });
      console.error(
        `${Math.round(played / 1000)} s: ${requests} requests, ${megabytes(resident)} resident`,
      );
    }
  };

  await playUntil(milliseconds * firstLook);
  const first = await look(service.process);
  await playUntil(milliseconds);
  const last = await look(service.process);
  const line = (measured: string, before: number, after: number) => {
    const ratio = after / before;
    const values = [megabytes(before), megabytes(after), `≤ ${goal.toFixed(2)}`, ratio.toFixed(2)];
    return [measured, ...values, verdict(ratio <= goal)];
  };
  const lines = [
    line("resident memory", first.resident, last.resident),
    line("heap, garbage collected", first.heap, last.heap),
  ];
  const headings = ["measured", "after a fifth", "at the end", "goal", "ratio", ""];
  return `${requests} requests\n\n${table(headings, lines)}`;
}

/** Resident memory as it is found, and the heap after a collection. */
async function look(server: ChildProcess): Promise<Memory> {
  const { resident } = await memory(server, { collect: false });
  const { heap } = await memory(server, { collect: true });
  return { resident, heap };
}

async function memory(server: ChildProcess, question: MemoryQuestion): Promise<Memory> {
  server.send(question);
  const [answer] = await once(server, "message");
  return answer;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}
