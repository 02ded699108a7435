import type { RateReport } from "../answer.js";
import { longestTimerMs } from "../signals.js";
import { RateWindow } from "./rate-window.js";

/** Permission to send one request. It must be ended in every case. */
export interface Turn {
  readonly sentAt: number;
  readonly write: boolean;
}

/** A call that asks for a turn. */
export interface PacedCall {
  readonly write: boolean;
  /** Its place in the line, after earlier calls: the same for all its attempts, so that a refused call keeps it. */
  readonly place: number;
  /** The shortest wait, which the service requested. */
  readonly waitMs: number;
  /** Ends the wait. The caller ends a turn that arrives at that moment. */
  readonly signal: AbortSignal;
  /** Called once the time of a wait is known, with the window that is used up. Ends the wait if it returns an error. */
  readonly onKnown: (waitMs: number, window: RateWindow) => Error | null;
}

interface Waiter extends PacedCall {
  readonly readyAt: number;
  readonly go: (turn: Turn) => void;
  readonly fail: (error: unknown) => void;
  /** Whether the time of the wait has been told. */
  isTold: boolean;
}

/** How far the clocks may differ by themselves. */
const clockToleranceMs = 1000;

/**
 * Keeps the calls of one client within the windows of its key: one for all requests, one for writes. Calls
 * run in the order of their places, except that a read does not wait for the window of writes.
 */
export class Pacer {
  readonly #requests = new RateWindow("requests");
  readonly #writes = new RateWindow("writes");
  /** The waiting calls, by their places. */
  readonly #line: Waiter[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #clockOffset = Date.now() - performance.now();
  #frozenMs = 0;

  /** Waits for a turn. */
  turn(call: PacedCall): Promise<Turn> {
    const { signal, place, waitMs } = call;
    let leave = () => {};
    return new Promise<Turn>((go, fail) => {
      const waiter = { ...call, readyAt: this.#now() + waitMs, go, fail, isTold: false };
      leave = () => {
        fail(signal.reason);
        if (this.#remove(waiter)) this.#dispatch();
      };
      signal.addEventListener("abort", leave);
      const next = this.#line.findIndex((other) => other.place > place);
      this.#line.splice(next < 0 ? this.#line.length : next, 0, waiter);
      if (signal.aborted) leave();
      else this.#dispatch();
    }).finally(() => signal.removeEventListener("abort", leave));
  }

  /**
   * Ends a request, and lets waiting calls continue.
   *
   * @param end - What its answer reported; `unlimited` for a success without a report; null if unknown.
   * @param isCharged - False if it was refused for its limit, or not sent: then it counts in no window.
   */
  end({ sentAt, write }: Turn, end: RateReport | "unlimited" | null, isCharged: boolean): void {
    const report = end === "unlimited" ? null : end;
    const about = report && this.#about(report, write);
    for (const window of this.#windows(write)) {
      window.end(sentAt, window.name === about ? report : null, this.#now(), isCharged);
    }
    for (const window of this.#windows(true)) {
      if (end === "unlimited") window.limit = Number.POSITIVE_INFINITY;
      else if (report?.policy) window.limit = report.policy[window.name];
    }
    this.#dispatch();
  }

  /**
   * The time in milliseconds, also after a process was frozen, as a function of a cloud is between two requests: then
   * the steady clock stands still, and the clock of the system does not.
   */
  #now(): number {
    const steady = performance.now();
    const ahead = Date.now() - steady - this.#clockOffset;
    if (ahead > this.#frozenMs + clockToleranceMs) this.#frozenMs = ahead;
    return steady + this.#frozenMs;
  }

  /** The windows in which a request counts. */
  #windows(write: boolean): RateWindow[] {
    return write ? [this.#requests, this.#writes] : [this.#requests];
  }

  /** The window that a report describes. If unnamed, the limit of a write's answer identifies it. */
  #about({ policy, limit }: RateReport, write: boolean): RateWindow["name"] {
    if (policy) return policy.reported;
    return write && limit !== this.#requests.limit ? "writes" : "requests";
  }

  #remove(waiter: Waiter): boolean {
    const index = this.#line.indexOf(waiter);
    if (index >= 0) this.#line.splice(index, 1);
    return index >= 0;
  }

  /** Whether no other read, or no other write, is before this one. */
  #isFirst(waiter: Waiter): boolean {
    return waiter === this.#line.find(({ write }) => write === waiter.write);
  }

  /** Gives a turn to each call that has room, tells the others how long they wait, and sets the timer. */
  #dispatch(): void {
    for (const waiter of [...this.#line]) {
      const { write, go } = waiter;
      if (!this.#isFirst(waiter) || this.#waitOf(waiter, 0).waitMs > 0) continue;
      this.#remove(waiter);
      for (const window of this.#windows(write)) window.charge();
      go({ sentAt: this.#now(), write });
    }
    this.#tell();
    clearTimeout(this.#timer);
    const firsts = this.#line.filter((waiter) => this.#isFirst(waiter));
    const waitMs = Math.min(...firsts.map((waiter) => this.#waitOf(waiter, 0).waitMs));
    if (waitMs === Number.POSITIVE_INFINITY) return; // nothing waits, or an answer has to come first
    this.#timer = setTimeout(() => this.#dispatch(), Math.min(Math.ceil(waitMs), longestTimerMs));
  }

  #tell(): void {
    const before = { reads: 0, writes: 0 };
    for (const waiter of [...this.#line]) {
      const kind = waiter.write ? "writes" : "reads";
      const refusal = waiter.isTold ? null : this.#tellOf(waiter, before[kind]);
      if (refusal) {
        this.#remove(waiter);
        waiter.fail(refusal);
      } else before[kind] += 1;
    }
  }

  #tellOf(waiter: Waiter, before: number): Error | null {
    const { waitMs, window } = this.#waitOf(waiter, before);
    waiter.isTold = waitMs !== Number.POSITIVE_INFINITY;
    return waiter.isTold ? waiter.onKnown(waitMs, window) : null;
  }

  /** The wait of a call with others of its kind before it; `Infinity` while unknown. */
  #waitOf({ write, readyAt }: Waiter, before: number) {
    const now = this.#now();
    const rooms = this.#windows(write).map((window) => ({
      window,
      at: window.roomAt(now, before),
    }));
    const { window, at } = rooms.reduce((one, other) => (other.at > one.at ? other : one));
    return { waitMs: Math.max(at, readyAt) - now, window };
  }
}
