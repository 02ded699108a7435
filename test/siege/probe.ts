import { readFileSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { answerQuestions } from "../bench/worker.js";

/** A request that a healthy client sends repeatedly. */
export interface Probe {
  /** Names the latencies in the report. */
  readonly name: string;
  readonly url: string;
  readonly key: string | null;
  /** Whether each request opens a new connection. Otherwise, one connection is reused. */
  readonly newConnection: boolean;
}

export interface Latencies {
  readonly name: string;
  /** What became of each request that failed or got a status other than 200. */
  readonly failures: readonly string[];
  /**
   * In milliseconds. A failed request counts with its time until the failure. The time in which the service's
   * process or this one waited for a processor is subtracted, because they share the machine with the attackers.
   */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Starts the probes of a service with this process id, or stops them. */
export type ProbeQuestion = { readonly pid: number; readonly probes: readonly Probe[] } | "stop";

/** The interval between the requests of a probe, which does not wait for responses. */
const everyMs = 50;

const maxRequestMs = 20_000;

/** The address of healthy clients. Attackers use other addresses. */
const localAddress = "127.0.0.2";

let stop: () => Promise<Latencies[]>;

/** Sends the requests of healthy clients at a fixed rate, and measures the time of each response. */
answerQuestions<ProbeQuestion, readonly Latencies[]>(async (question) => {
  if (question === "stop") return stop();
  const ends = question.probes.map((probe) => repeat(probe, [question.pid, process.pid]));
  stop = () => Promise.all(ends.map((end) => end()));
  return [];
});

/** How long the main thread of a process was ready to run and waited for a processor, in milliseconds. */
function waitedMs(pid: number): number {
  try {
    const [, waited] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ");
    return Number(waited) / 1e6;
  } catch {
    return 0; // the process has ended
  }
}

/** Sends the request of a probe until the returned function is called. `pids`: the processes that must not have waited. */
function repeat(probe: Probe, pids: readonly number[]): () => Promise<Latencies> {
  const agent = new Agent({ keepAlive: !probe.newConnection });
  const sent: Promise<void>[] = [];
  const times: number[] = [];
  const failures: string[] = [];
  const measure = async () => {
    const began = performance.now();
    const before = pids.map(waitedMs);
    await ask(probe, agent).catch((error) => failures.push(String(error)));
    const waited = pids.map((pid, at) => waitedMs(pid) - (before[at] ?? 0));
    times.push(Math.max(0, performance.now() - began - Math.max(...waited)));
  };
  const timer = setInterval(() => sent.push(measure()), everyMs);
  return async () => {
    clearInterval(timer);
    await Promise.all(sent);
    agent.destroy();
    times.sort((a, b) => a - b);
    const at = (share: number) => times[Math.ceil(times.length * share) - 1] ?? Number.NaN;
    return { name: probe.name, failures, p50: at(0.5), p99: at(0.99), max: at(1) };
  };
}

async function ask({ url, key }: Probe, agent: Agent): Promise<void> {
  const headers = key === null ? {} : { authorization: `Bearer ${key}` };
  const options = { agent, headers, localAddress, signal: AbortSignal.timeout(maxRequestMs) };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, options).once("response", resolve).once("error", reject).end();
  });
  const body = await text(answer);
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${body.slice(0, 200)}`);
}
