import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";

const everyMs = 200;

/** Watches the resident memory of a process. Needs `/proc`, so Linux. */
export class PeakMemory {
  readonly #pid: number;
  readonly #timer: NodeJS.Timeout;
  #peak = 0;

  constructor({ pid }: ChildProcess) {
    if (pid === undefined) throw new Error("the process did not start");
    this.#pid = pid;
    this.#look();
    this.#timer = setInterval(() => this.#look(), everyMs);
  }

  /** The maximum so far, in bytes. */
  get peakBytes(): number {
    return this.#peak;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#look();
  }

  #look(): void {
    let status: string;
    try {
      status = readFileSync(`/proc/${this.#pid}/status`, "utf8");
    } catch {
      return; // the process has ended
    }
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(status) ?? [];
    this.#peak = Math.max(this.#peak, Number(kilobytes ?? 0) * 1024);
  }
}
