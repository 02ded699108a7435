import type { RateReport } from "./rate-report.js";
import { RateWindow, type Sent } from "./rate-window.js";

/** Permission to send one request. It must be ended or given back in every case. */
export interface Turn {
  /** The request in the window of all requests. */
  readonly request: Sent;
  /** The request in the window of writes; null if it is not a write. */
  readonly write: Sent | null;
}

/** The outcome of a request for pacing. */
export type TurnEnd =
  /** The answer reported a window. */
  | RateReport
  /** It succeeded without a report: the service has no rate limit. */
  | "unlimited"
  /** Unknown: no answer, or an answer that reports another limit. */
  | "unknown";

interface Waiter {
  readonly arrival: number;
  readonly go: (turn: Turn) => void;
}

/**
 * Keeps the calls of one client within the windows of its key: one for all requests, one for writes. Calls
 * run in order of arrival, except that a read does not wait for the window of writes.
 */
export class Pacer {
  readonly #requests = new RateWindow();
  readonly #writes = new RateWindow();
  readonly #waitingReads = new Set<Waiter>();
  readonly #waitingWrites = new Set<Waiter>();
  #arrivals = 0;
  #unlimited = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Takes a turn, if one is free and no call waits for it. */
  take(write: boolean): Turn | null {
    const waiting = write ? this.#waitingWrites : this.#waitingReads;
    return waiting.size === 0 && this.#hasRoom(write) ? this.#begin(write) : null;
  }

  /** Waits for a turn. An abort gives up the place in the line, or a turn that arrives at that moment. */
  async wait(write: boolean, signal: AbortSignal): Promise<Turn> {
    const waiting = write ? this.#waitingWrites : this.#waitingReads;
    let leave = () => {};
    const turn = await new Promise<Turn>((resolve, reject) => {
      const waiter = { arrival: ++this.#arrivals, go: resolve };
      leave = () => {
        reject(signal.reason);
        if (waiting.delete(waiter)) this.#dispatch();
      };
      signal.addEventListener("abort", leave);
      waiting.add(waiter);
      this.#dispatch();
    });
    signal.removeEventListener("abort", leave);
    if (signal.aborted) this.giveBack(turn);
    signal.throwIfAborted();
    return turn;
  }

  /** Returns a turn whose request was not sent, and lets waiting calls continue. */
  giveBack(turn: Turn): void {
    this.#requests.uncharge();
    if (turn.write) this.#writes.uncharge();
    this.#dispatch();
  }

  /** Records the outcome of a request, and lets waiting calls continue. */
  end(turn: Turn, end: TurnEnd): void {
    const now = performance.now();
    if (end === "unlimited" || end === "unknown") {
      if (end === "unlimited") this.#unlimited = true;
      this.#requests.endUnreported(turn.request, null, now);
      if (turn.write) this.#writes.endUnreported(turn.write, null, now);
    } else {
      this.#unlimited = false;
      if (end.policy) {
        this.#requests.setLimit(end.policy.requests);
        this.#writes.setLimit(end.policy.writes);
      }
      if (turn.write) this.#learnFromWrite(turn.request, turn.write, end, now);
      else this.#learnFromRead(turn, end, now);
    }
    this.#dispatch();
  }

  #learnFromRead(turn: Turn, report: RateReport, now: number): void {
    const first = this.#requests.limit === null;
    this.#requests.endReported(turn.request, report, now);
    if (first && this.#writes.limit === report.limit) this.#writes.forget(); // writes reported this window
  }

  /** A write's answer reports the tighter of its two windows. If unnamed, the limit identifies the window. */
  #learnFromWrite(request: Sent, write: Sent, report: RateReport, now: number): void {
    const requests = { window: this.#requests, sent: request };
    const writes = { window: this.#writes, sent: write };
    const [reported, other] = this.#reportsRequests(report)
      ? [requests, writes]
      : [writes, requests];
    reported.window.endReported(reported.sent, report, now);
    other.window.endUnreported(other.sent, report.remaining, now);
  }

  #reportsRequests({ limit, policy }: RateReport): boolean {
    if (policy) return policy.reported === "requests";
    const { limit: writes } = this.#writes;
    return writes === null ? limit === this.#requests.limit : limit > writes;
  }

  #hasRoom(write: boolean): boolean {
    if (this.#unlimited) return true;
    const now = performance.now();
    return this.#requests.hasRoom(now) && (!write || this.#writes.hasRoom(now));
  }

  #begin(write: boolean): Turn {
    const now = performance.now();
    return { request: this.#requests.charge(now), write: write ? this.#writes.charge(now) : null };
  }

  #dispatch(): void {
    for (let next = this.#next(); next; next = this.#next()) next();
    this.#rearm();
  }

  /** Takes the first waiting call whose windows have room. */
  #next(): (() => void) | null {
    const [read] = this.#waitingReads;
    const [write] = this.#waitingWrites;
    const readGoes = read && this.#hasRoom(false);
    const writeGoes = write && this.#hasRoom(true);
    if (readGoes && !(writeGoes && write.arrival < read.arrival)) {
      return () => this.#go(this.#waitingReads, read, false);
    }
    return writeGoes ? () => this.#go(this.#waitingWrites, write, true) : null;
  }

  #go(waiting: Set<Waiter>, waiter: Waiter, write: boolean): void {
    waiting.delete(waiter);
    waiter.go(this.#begin(write));
  }

  /** While calls wait, a timer checks again when the next window resets. */
  #rearm(): void {
    clearTimeout(this.#timer);
    if (this.#waitingReads.size === 0 && this.#waitingWrites.size === 0) return;
    const now = performance.now();
    const resets = [this.#requests.resetAfter(now), this.#writes.resetAfter(now)].filter(
      (at) => at !== null,
    );
    if (resets.length === 0) return; // an answer in progress will report it
    this.#timer = setTimeout(() => this.#dispatch(), Math.ceil(Math.min(...resets) - now));
  }
}
