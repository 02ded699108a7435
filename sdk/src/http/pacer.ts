import type { RateReport } from "../answer.js";
import { longestTimerMs } from "../signals.js";
import { RateWindow } from "./rate-window.js";

/** Permission to send one request. It must be ended in every case. */
export interface Turn {
  readonly sentAt: number;
  readonly write: boolean;
}

/** Why, and for how long, a call has to wait for its turn. */
export interface PacedWait {
  readonly waitMs: number;
  /** The limit that is used up. */
  readonly limit: { readonly of: "requests" | "writes"; readonly perMinute: number | null };
}

/** A call that asks for a turn. */
export interface PacedCall {
  readonly write: boolean;
  /** Its place in the line, the same for all its attempts, so that a refused call does not lose it. */
  readonly place: number;
  /** The shortest wait, which the service requested. */
  readonly waitMs: number;
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Called once, as soon as the time of a wait is known. An error that it returns ends the wait. */
  readonly onKnown: (wait: PacedWait) => Error | null;
}

interface Waiter extends PacedCall {
  readonly readyAt: number;
  readonly go: (turn: Turn) => void;
  readonly fail: (error: unknown) => void;
  /** Whether the time of the wait has been told. */
  told: boolean;
}

/** How far the clocks may differ by themselves. */
const clockToleranceMs = 1000;

/**
 * Keeps the calls of one client within the windows of its key: one for all requests, one for writes. Calls
 * run in the order of their places, except that a read does not wait for the window of writes.
 */
export class Pacer {
  readonly #requests = new RateWindow();
  readonly #writes = new RateWindow();
  /** The waiting calls, by their places. */
  readonly #line: Waiter[] = [];
  #places = 0;
  #unlimited = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #clockOffset = Date.now() - performance.now();
  #frozenMs = 0;

  /** The place in the line for a new call: after all others. */
  place(): number {
    return ++this.#places;
  }

  /** Waits for a turn. An abort gives up the wait, or a turn that arrives at that moment. */
  async turn(call: PacedCall): Promise<Turn> {
    const { write, signal } = call;
    const readyAt = this.#now() + call.waitMs;
    const isFirst = !this.#line.some((other) => other.write === write);
    if (isFirst && call.waitMs === 0 && this.#hasRoom(write)) return this.#begin(write);
    let leave = () => {};
    const turn = await new Promise<Turn>((go, fail) => {
      const waiter = { ...call, readyAt, go, fail, told: false };
      leave = () => {
        fail(signal.reason);
        if (this.#remove(waiter)) this.#dispatch();
      };
      signal.addEventListener("abort", leave);
      const next = this.#line.findIndex(({ place }) => place > call.place);
      this.#line.splice(next < 0 ? this.#line.length : next, 0, waiter);
      this.#dispatch();
    }).finally(() => signal.removeEventListener("abort", leave));
    if (signal.aborted) this.end(turn, null, false);
    signal.throwIfAborted();
    return turn;
  }

  /**
   * Ends a request, and lets waiting calls continue.
   *
   * @param end - What its answer reported; `unlimited` for a success without a report; null if unknown.
   * @param isCharged - False if it was refused for its limit, or not sent: then it counts in no window.
   */
  end({ sentAt, write }: Turn, end: RateReport | "unlimited" | null, isCharged: boolean): void {
    const now = this.#now();
    const report = end === "unlimited" ? null : end;
    if (end !== null) this.#unlimited = end === "unlimited";
    const about = report && this.#about(report, write);
    this.#requests.end(sentAt, about === "requests" ? report : null, now, isCharged);
    if (write) this.#writes.end(sentAt, about === "writes" ? report : null, now, isCharged);
    if (report?.policy) {
      this.#requests.limit = report.policy.requests;
      this.#writes.limit = report.policy.writes;
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

  /** The window that a report describes. If unnamed, the limit of a write's answer identifies it. */
  #about({ policy, limit }: RateReport, write: boolean): "requests" | "writes" {
    if (policy) return policy.reported;
    return write && limit !== this.#requests.limit ? "writes" : "requests";
  }

  #hasRoom(write: boolean): boolean {
    if (this.#unlimited) return true;
    const now = this.#now();
    const inRequests = this.#requests.roomAt(now) === now;
    return inRequests && (!write || this.#writes.roomAt(now) === now);
  }

  #begin(write: boolean): Turn {
    this.#requests.charge();
    if (write) this.#writes.charge();
    return { sentAt: this.#now(), write };
  }

  #remove(waiter: Waiter): boolean {
    const index = this.#line.indexOf(waiter);
    if (index >= 0) this.#line.splice(index, 1);
    return index >= 0;
  }

  /** Gives a turn to each call that has room, tells the others how long they wait, and sets the timer. */
  #dispatch(): void {
    const waiting = new Set<boolean>(); // reads or writes, of which the first has to wait
    for (const waiter of [...this.#line]) {
      const { write, readyAt, go } = waiter;
      if (waiting.has(write)) continue;
      if (readyAt <= this.#now() && this.#hasRoom(write)) {
        this.#remove(waiter);
        go(this.#begin(write));
      } else waiting.add(write);
      if (waiting.size === 2) break;
    }
    this.#tell();
    this.#rearm();
  }

  #tell(): void {
    const now = this.#now();
    const before = { reads: 0, writes: 0 };
    for (const waiter of [...this.#line]) {
      const kind = waiter.write ? "writes" : "reads";
      const wait = waiter.told ? null : this.#waitOf(waiter, before[kind], now);
      const refusal = wait && waiter.onKnown(wait);
      waiter.told ||= wait !== null;
      if (refusal) {
        this.#remove(waiter);
        waiter.fail(refusal);
      } else before[kind] += 1;
    }
  }

  /** The wait of a call with others of its kind before it; null while unknown. */
  #waitOf({ write, readyAt }: Waiter, before: number, now: number): PacedWait | null {
    const roomAt = (window: RateWindow) => (this.#unlimited ? now : window.roomAt(now, before));
    const requestAt = roomAt(this.#requests);
    const writeAt = write ? roomAt(this.#writes) : now;
    if (requestAt === null || writeAt === null) return null;
    const waitMs = Math.max(requestAt, writeAt, readyAt) - now;
    const of = writeAt > requestAt ? "writes" : "requests";
    const { limit: perMinute } = of === "writes" ? this.#writes : this.#requests;
    return { waitMs, limit: { of, perMinute } };
  }

  /** While calls wait, a timer checks again when the first read or the first write has room. */
  #rearm(): void {
    clearTimeout(this.#timer);
    const now = this.#now();
    const firsts = [true, false].map((kind) => this.#line.find(({ write }) => write === kind));
    const waits = firsts.map((first) => first && this.#waitOf(first, 0, now)?.waitMs);
    const waitMs = Math.min(...waits.map((wait) => wait ?? Number.POSITIVE_INFINITY));
    if (waitMs === Number.POSITIVE_INFINITY) return; // nothing waits, or an answer has to come first
    this.#timer = setTimeout(() => this.#dispatch(), Math.min(Math.ceil(waitMs), longestTimerMs));
  }
}
