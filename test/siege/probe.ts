import { readFileSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { answerQuestions } from "../bench/worker.js";

/** A request that a healthy client sends repeatedly. */
export interface Probe {
  /** Names the latencies in the report. */
  readonly name: string;
  readonly path: string;
  readonly key: string | null;
  /** The address of the client. */
  readonly from: string;
  /** Whether each request opens a new connection. Otherwise, one connection is reused. */
  readonly newConnection: boolean;
}

/** The results of one probe. */
export interface Latencies {
  readonly name: string;
  readonly requests: number;
  /** Requests that failed, or that got a status other than 200. */
  readonly failures: number;
  /** The first failures. */
  readonly reasons: readonly string[];
  /**
   * In milliseconds. A failed request counts with its time until the failure. The time in which the service's
   * process or this one waited for a processor is subtracted, because they share the machine with the attackers.
   */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** The 99th percentile without that subtraction. */
  readonly p99Elapsed: number;
}

export type ProbeQuestion =
  | {
      readonly start: {
        readonly origin: string;
        readonly probes: readonly Probe[];
        /** The process of the service. */
        readonly pid: number;
      };
    }
  | "stop";

/** The interval between the requests of a probe, which does not wait for responses. */
const everyMs = 50;

/** A request that takes longer has failed. */
const longestMs = 20_000;

let running: {
  readonly origin: string;
  readonly runs: readonly Run[];
  readonly timer: NodeJS.Timeout;
};

/** Sends the requests of healthy clients at a fixed rate, and measures the time of each response. */
answerQuestions<ProbeQuestion, readonly Latencies[]>(async (question) => {
  if (question !== "stop") {
    const { origin, probes, pid } = question.start;
    const runs = probes.map((probe) => new Run(origin, probe, pid));
    const timer = setInterval(() => {
      for (const run of runs) run.send();
    }, everyMs);
    running = { origin, runs, timer };
    return [];
  }
  clearInterval(running.timer);
  return Promise.all(running.runs.map((run) => run.end()));
});

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
}

/** How long the main thread of a process was ready to run and waited for a processor, in milliseconds. */
function waitedMs(pid: number): number {
  try {
    const [, waited] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ");
    return Number(waited) / 1e6;
  } catch {
    return 0; // the process has ended
  }
}

class Run {
  readonly #probe: Probe;
  readonly #origin: string;
  readonly #agent: Agent;
  readonly #pending = new Set<Promise<void>>();
  readonly #pid: number;
  readonly #times: number[] = [];
  readonly #elapsed: number[] = [];
  readonly #reasons: string[] = [];
  #failures = 0;

  constructor(origin: string, probe: Probe, pid: number) {
    this.#pid = pid;
    this.#origin = origin;
    this.#probe = probe;
    this.#agent = new Agent({ keepAlive: !probe.newConnection });
  }

  send(): void {
    const began = performance.now();
    const waitedBefore = [waitedMs(this.#pid), waitedMs(process.pid)] as const;
    const sent = this.#answer().then((problem) => {
      const elapsed = performance.now() - began;
      const waited = Math.max(
        waitedMs(this.#pid) - waitedBefore[0],
        waitedMs(process.pid) - waitedBefore[1],
      );
      this.#elapsed.push(elapsed);
      this.#times.push(Math.max(0, elapsed - waited));
      if (problem === null) return;
      this.#failures++;
      if (this.#reasons.length < 3) this.#reasons.push(problem);
    });
    this.#pending.add(sent);
    sent.finally(() => this.#pending.delete(sent));
  }

  async end(): Promise<Latencies> {
    await Promise.all(this.#pending);
    this.#agent.destroy();
    const at = (share: number) => percentile(this.#times, share);
    return {
      name: this.#probe.name,
      requests: this.#times.length,
      failures: this.#failures,
      reasons: this.#reasons,
      p50: at(0.5),
      p99: at(0.99),
      max: at(1),
      p99Elapsed: percentile(this.#elapsed, 0.99),
    };
  }

  /** Sends one request. Returns null for a 200, otherwise a description of the failure. */
  async #answer(): Promise<string | null> {
    const { path, key, from } = this.#probe;
    const headers = key === null ? {} : { authorization: `Bearer ${key}` };
    try {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const sent = request(`${this.#origin}${path}`, {
          agent: this.#agent,
          headers,
          localAddress: from,
          signal: AbortSignal.timeout(longestMs),
        });
        sent.once("response", resolve).once("error", reject).end();
      });
      const body = await text(answer);
      return answer.statusCode === 200 ? null : `${answer.statusCode} ${body.slice(0, 200)}`;
    } catch (error) {
      return String(error);
    }
  }
}
