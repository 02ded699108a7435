import { setTimeout as pause } from "node:timers/promises";
import type { SeedInput } from "@queue-api/server";
import { clinic, usualDay } from "../bench/clinic.js";
import { memoryOf } from "../bench/memory-row.js";
import type { Service, Stage } from "../bench/stage.js";
import { attack, type Group } from "./attacker.js";
import type { Latencies, Probe, ProbeQuestion } from "./probe.js";

/** A figure. Its goal is met below a value. */
export interface Finding {
  readonly what: string;
  readonly measured: number;
  readonly below: number;
  readonly unit: string;
}

/** The time for which healthy clients are measured before an attack. */
const quietMs = 4_000;

/** A business with one long usual day. The limits of its key are above every measurement. */
export const healthy: SeedInput["businesses"][number] = clinic({ front: usualDay(200) }, "healthy");

/** The probes of a healthy client: reads on a keep-alive connection, and on new ones. */
function healthyClient({ origin, key, queues }: Service): Probe[] {
  const queue = `${origin}/v1/queues/${queues.front}`;
  return [
    { name: "read", url: queue, key, newConnection: false },
    { name: "new connection", url: `${origin}/v1/me`, key, newConnection: true },
    { name: "readyz", url: `${origin}/readyz`, key: null, newConnection: true },
  ];
}

/** What healthy clients of a service must find during an attack, in milliseconds and megabytes. */
export interface Goals {
  readonly p99: number;
  readonly memory?: number;
}

export async function besiege(
  stage: Stage,
  service: Service,
  goals: Goals,
  attack: () => Promise<unknown>,
): Promise<Finding[]> {
  const ask = stage.worker<ProbeQuestion, Latencies[]>(new URL("./probe.js", import.meta.url));
  const start = { probes: healthyClient(service), pid: service.process.pid ?? 0 };
  const measured = async (during: () => Promise<unknown>) => {
    await ask(start);
    await during();
    return ask("stop");
  };
  await measured(() => pause(quietMs / 2)); // the modules of the first request are loaded now
  const quiet = await measured(() => pause(quietMs));
  const latencies = await measured(attack);
  const worst = (of: readonly Latencies[]) => Math.round(Math.max(...of.map(({ p99 }) => p99)));
  const each = latencies.map(({ name, p50, p99, max }) => {
    return `${name} ${Math.round(p50)}/${Math.round(p99)}/${Math.round(max)}`;
  });
  const failures = latencies.flatMap((one) => one.failures);
  const alive = service.process.exitCode === null && service.process.signalCode === null;
  const megabytes = alive ? Math.round(memoryOf(service.process, "VmHWM") / 2 ** 20) : Infinity;
  const findings = [
    {
      what: `p99 of a healthy client (without the attack ${worst(quiet)} ms; ${each.join(", ")} ms: p50/p99/max)`,
      measured: alive ? worst(latencies) : Infinity,
      below: goals.p99,
      unit: "ms",
    },
    {
      what: `that healthy clients sent${failures[0] ? ` (${failures[0]})` : ""}`,
      measured: failures.length,
      below: 1,
      unit: "failed requests",
    },
  ];
  const { memory: below } = goals;
  if (below === undefined) return findings;
  return [...findings, { what: "most resident memory", measured: megabytes, below, unit: "MB" }];
}

export async function attackWith(
  { origin }: Service,
  groups: readonly Group[],
  seconds: number,
): Promise<void> {
  const ends = await Promise.all(groups.map((group) => attack(new URL(origin), group)));
  await pause(seconds * 1_000);
  for (const end of ends) end();
}
