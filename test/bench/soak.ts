import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Command } from "commander";
import { positive } from "./api.js";
import { clinic, usualDay } from "./clinic.js";
import type { Memory, MemoryQuestion } from "./soak-companion.js";
import type { SoakQuestion } from "./soak-worker.js";
import { onStage, type Stage } from "./stage.js";
import { table, verdict } from "./table.js";

/** How much memory may grow between the first look and the last. */
const goal = 1.1;
/** When memory is first looked at, as a share of the whole time. */
const firstLook = 1 / 5;
/** The time between two reports of progress. */
const stepMs = 10_000;

await new Command("npm run soak --")
  .description(
    "Puts the service under mixed load, and compares the memory of its process at the end with that\nafter a fifth of the time. A goal that is missed is marked and is no failure.",
  )
  .option("--minutes <n>", "how long", positive, 5)
  .action(async ({ minutes }: { minutes: number }) => {
    const report = await onStage([], (stage) => soak(stage, minutes * 60_000));
    console.log(report);
  })
  .parseAsync();

async function soak(stage: Stage, milliseconds: number): Promise<string> {
  const companion = new URL("./soak-companion.js", import.meta.url).href;
  const service = await stage.service(clinic({ front: usualDay(200) }), {
    env: { TRUST_PROXY: "loopback" },
    nodeOptions: ["--expose-gc", `--import=${companion}`],
  });
  const load = stage.worker<SoakQuestion, number>(new URL("./soak-worker.js", import.meta.url));
  const { origin, key, keys, queues, services } = service;
  await load.ask({ service: { origin, key, keys, queues, services } });

  let [played, requests] = [0, 0];
  const playUntil = async (end: number) => {
    while (played < end) {
      const step = Math.min(stepMs, end - played);
      requests += await load.ask({ milliseconds: step });
      played += step;
      const { resident } = await memory(service.process, { collect: false });
      const seconds = Math.round(played / 1000);
      console.error(`${seconds} s: ${requests} requests, ${megabytes(resident)} resident`);
    }
  };

  await playUntil(milliseconds * firstLook);
  const first = await look(service.process);
  await playUntil(milliseconds);
  const last = await look(service.process);
  const rate = Math.round((requests / milliseconds) * 1000);
  return `${requests} requests, ${rate} a second\n\n${report(first, last, milliseconds)}`;
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

function report(first: Memory, last: Memory, milliseconds: number): string {
  const minutes = (time: number) => `after ${+(time / 60_000).toFixed(1)} min`;
  const line = (measured: string, before: number, after: number) => {
    const ratio = after / before;
    const values = [megabytes(before), megabytes(after), `≤ ${goal.toFixed(2)}`, ratio.toFixed(2)];
    return [measured, ...values, verdict(ratio <= goal)];
  };
  const headings = ["measured", minutes(milliseconds * firstLook), minutes(milliseconds)];
  return table(
    [...headings, "goal", "ratio", ""],
    [
      line("resident memory", first.resident, last.resident),
      line("heap, garbage collected", first.heap, last.heap),
    ],
  );
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}
