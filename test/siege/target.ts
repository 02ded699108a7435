import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { SeedInput } from "@queue-api/server";
import { clinic, usualDay } from "../bench/clinic.js";
import type { Service, Stage } from "../bench/stage.js";
import type { Attack, AttackQuestion, ConnectionGroup, GroupReport } from "./attacker.js";
import type { Latencies, Probe, ProbeQuestion } from "./probe.js";
import type { Finding, ShowProgress } from "./row.js";

/** The address of healthy clients, if attackers use other addresses. */
const healthyAddress = "127.0.0.2";

/** Returns `count` addresses of this machine for attackers. */
function attackerAddresses(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `127.0.1.${at + 1}`);
}

/** The time for which healthy clients are measured before an attack. */
const quietMs = 4_000;

/** A business with one long usual day. The limits of its key are above every measurement. */
export const healthyBusiness: SeedInput = clinic({ front: usualDay(200) });

/** The probes of a healthy client: reads on a keep-alive connection, and on new ones. */
function healthyClient({ key, queues }: Service): Probe[] {
  const from = healthyAddress;
  return [
    { name: "read", path: `/v1/queues/${queues.front}`, key, from, newConnection: false },
    { name: "new connection", path: "/v1/me", key, from, newConnection: true },
    { name: "readyz", path: "/readyz", key: null, from, newConnection: true },
  ];
}

/** The values that were measured during an attack. */
export interface Siege {
  readonly latencies: readonly Latencies[];
  /** The values before the attack. */
  readonly quiet: readonly Latencies[];
  /** The maximum memory of the process, in bytes. */
  readonly peakBytes: number;
  readonly alive: boolean;
}

/** Measures healthy clients of a service before and during an attack. */
async function besiege(
  stage: Stage,
  service: Service,
  attack: () => Promise<void>,
): Promise<Siege> {
  const probe = stage.worker<ProbeQuestion, readonly Latencies[]>(
    new URL("./probe.js", import.meta.url),
  );
  const probes = healthyClient(service);
  const start = { origin: service.origin, probes, pid: service.process.pid ?? 0 };
  await probe.ask({ start });
  await pause(quietMs / 2); // the modules of the first request are loaded now
  await probe.ask("stop");
  await probe.ask({ start });
  await pause(quietMs);
  const quiet = await probe.ask("stop");
  await probe.ask({ start });
  await attack();
  const latencies = await probe.ask("stop");
  const { exitCode, signalCode } = service.process;
  const alive = exitCode === null && signalCode === null;
  const peakBytes = alive ? peakMemory(service.process) : Number.POSITIVE_INFINITY;
  return { latencies, quiet, peakBytes, alive };
}

/** The connections of an attack, from this many addresses for so long. */
export interface ConnectionAttack extends Pick<Attack, "groups"> {
  /** Default: one. */
  readonly addresses?: number;
  readonly seconds: number;
  /** Whether connections that end are opened again. Default false. */
  readonly reconnect?: boolean;
}

/** Connections that send the same request again and again, each after its response and a pause. */
export function asking(
  path: string,
  key: string,
  { connections, pauseMs = 0 }: { readonly connections: number; readonly pauseMs?: number },
): ConnectionGroup {
  const head = `GET ${path} HTTP/1.1\r\nHost: queue.example\r\nAuthorization: Bearer ${key}`;
  const again = { afterAnswers: 1, pauseMs };
  return { name: path, connections, first: `${head}\r\n\r\n`, again };
}

/** Attacks a service with connections from a separate process. Also returns what happened to them. */
export async function besiegedByConnections(
  stage: Stage,
  service: Service,
  { addresses = 1, seconds, groups, reconnect = false }: ConnectionAttack,
  showProgress: ShowProgress,
): Promise<Siege & { readonly reports: readonly GroupReport[] }> {
  const worker = stage.worker<AttackQuestion, readonly GroupReport[]>(
    new URL("./attacker.js", import.meta.url),
  );
  let reports: readonly GroupReport[] = [];
  const siege = await besiege(stage, service, async () => {
    const from = attackerAddresses(addresses);
    await worker.ask({ start: { origin: service.origin, from, groups, reconnect } });
    await hold(seconds, showProgress);
    reports = await worker.ask("report");
    await worker.ask("stop");
  });
  for (const report of reports) {
    showProgress(JSON.stringify({ ...report, lifetimes: report.lifetimes.length }));
  }
  return { ...siege, reports };
}

/** The highest resident memory of a process until now, in bytes. Needs `/proc`, so Linux. */
function peakMemory({ pid }: Service["process"]): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(status) ?? [];
  return Number(kilobytes) * 1024;
}

/** Waits during the attack, and reports the remaining time. */
async function hold(seconds: number, showProgress: ShowProgress): Promise<void> {
  for (let left = seconds; left > 0; left -= 10) {
    showProgress(`${left} s left`);
    await pause(Math.min(left, 10) * 1_000);
  }
}

/** The findings for healthy clients: the worst 99th percentile, and no failed request. */
export function promptness({ latencies, quiet, alive }: Siege, goalMs: number): readonly Finding[] {
  const p99 = worst(latencies);
  const elapsed = Math.round(Math.max(...latencies.map((one) => one.p99Elapsed)));
  const failures = latencies.reduce((sum, one) => sum + one.failures, 0);
  const each = latencies.map(({ name, p50, p99, max }) => {
    return `${name} ${Math.round(p50)}/${Math.round(p99)}/${Math.round(max)}`;
  });
  const reasons = latencies.flatMap((one) => one.reasons);
  return [
    {
      what: `p99 of a healthy client (without the attack ${Math.round(worst(quiet))} ms; ${each.join(", ")} ms: p50/p99/max; with all waits for a processor ${elapsed} ms)`,
      goal: `< ${goalMs} ms`,
      measured: alive ? `${Math.round(p99)} ms` : "the process died",
      met: alive && p99 < goalMs,
    },
    {
      what: `requests of healthy clients that failed${reasons[0] ? ` (${reasons[0]})` : ""}`,
      goal: "0",
      measured: `${failures}`,
      met: failures === 0,
    },
  ];
}

function worst(latencies: readonly Latencies[]): number {
  return Math.max(...latencies.map(({ p99 }) => p99));
}

export function memoryBound({ peakBytes }: Siege, megabytes: number): Finding {
  const measured = Math.round(peakBytes / 2 ** 20);
  return {
    what: "most resident memory",
    goal: `< ${megabytes} MB`,
    measured: `${measured} MB`,
    met: measured < megabytes,
  };
}
