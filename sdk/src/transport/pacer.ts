import { type RateReport, RateWindow } from "./rate-window.js";

/** Permission to send one request. It must be ended or given back in every case. */
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

/** A call that waits for its turn. */
export interface WaitingCall {
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Called once, as soon as the time of the wait is known. An error that it returns ends the wait. */
  readonly onKnown: (wait: PacedWait) => Error | null;
}

interface Waiter extends WaitingCall {
  readonly arrival: number;
  readonly go: (turn: Turn) => void;
  readonly fail: (error: unknown) => void;
  /** Whether the time of the wait has been told. */
  told: boolean;
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
    return this.#waiting(write).size === 0 && this.#hasRoom(write) ? this.#begin(write) : null;
  }

  /** Waits for a turn. An abort gives up the place in the line, or a turn that arrives at that moment. */
  async wait(write: boolean, call: WaitingCall): Promise<Turn> {
    const { signal } = call;
    const waiting = this.#waiting(write);
    let leave = () => {};
    const turn = await new Promise<Turn>((go, fail) => {
      const waiter = { ...call, arrival: ++this.#arrivals, go, fail, told: false };
      leave = () => {
        fail(signal.reason);
        if (waiting.delete(waiter)) this.#dispatch();
      };
      signal.addEventListener("abort", leave);
      waiting.add(waiter);
      this.#dispatch();
    }).finally(() => signal.removeEventListener("abort", leave));
    if (signal.aborted) this.giveBack(turn);
    signal.throwIfAborted();
    return turn;
  }

  /** Returns a turn whose request was not sent, and lets waiting calls continue. */
  giveBack({ write }: Turn): void {
    this.#requests.uncharge();
    if (write) this.#writes.uncharge();
    this.#dispatch();
  }

  /**
   * Ends a request, and lets waiting calls continue.
   *
   * @param end - What its answer reported; `unlimited` for a success without a report; null if unknown.
   */
  end({ sentAt, write }: Turn, end: RateReport | "unlimited" | null): void {
    const now = performance.now();
    const report = end === "unlimited" ? null : end;
    if (end !== null) this.#unlimited = end === "unlimited";
    const about = report && this.#about(report, write);
    this.#requests.end(sentAt, about === "requests" ? report : null, now);
    if (write) this.#writes.end(sentAt, about === "writes" ? report : null, now);
    if (report?.policy) {
      this.#requests.limit = report.policy.requests;
      this.#writes.limit = report.policy.writes;
    }
    this.#dispatch();
  }

  /** The window that a report describes. If unnamed, the limit of a write's answer identifies it. */
  #about({ policy, limit }: RateReport, write: boolean): "requests" | "writes" {
    if (policy) return policy.reported;
    return write && limit !== this.#requests.limit ? "writes" : "requests";
  }

  #waiting(write: boolean): Set<Waiter> {
    return write ? this.#waitingWrites : this.#waitingReads;
  }

  #hasRoom(write: boolean): boolean {
    if (this.#unlimited) return true;
    const now = performance.now();
    const inRequests = this.#requests.roomAt(now) === now;
    return inRequests && (!write || this.#writes.roomAt(now) === now);
  }

  #begin(write: boolean): Turn {
    this.#requests.charge();
    if (write) this.#writes.charge();
    return { sentAt: performance.now(), write };
  }

  #dispatch(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      const waiting = this.#waiting(next);
      const [waiter] = waiting;
      if (waiter) waiting.delete(waiter);
      waiter?.go(this.#begin(next));
    }
    this.#tell(false);
    this.#tell(true);
    this.#rearm();
  }

  /** Whether the first waiting call with room is a write; null if none has room. */
  #next(): boolean | null {
    const [read] = this.#waitingReads;
    const [write] = this.#waitingWrites;
    const readGoes = read && this.#hasRoom(false);
    const writeGoes = write && this.#hasRoom(true);
    if (readGoes && !(writeGoes && write.arrival < read.arrival)) return false;
    return writeGoes ? true : null;
  }

  /** Tells the calls of a line how long they wait. */
  #tell(write: boolean): void {
    const now = performance.now();
    let before = 0;
    for (const waiter of this.#waiting(write)) {
      const wait = waiter.told ? null : this.#waitOf(write, before, now);
      const refusal = wait && waiter.onKnown(wait);
      waiter.told ||= wait !== null;
      if (refusal) {
        this.#waiting(write).delete(waiter);
        waiter.fail(refusal);
      } else before += 1;
    }
  }

  /** The wait of a call with others before it in its line; null while unknown. */
  #waitOf(write: boolean, before: number, now: number): PacedWait | null {
    const requestAt = this.#requests.roomAt(now, before);
    const writeAt = write ? this.#writes.roomAt(now, before) : now;
    if (requestAt === null || writeAt === null) return null;
    const waitMs = Math.max(requestAt, writeAt) - now;
    const of = writeAt > requestAt ? "writes" : "requests";
    const { limit: perMinute } = of === "writes" ? this.#writes : this.#requests;
    return { waitMs, limit: { of, perMinute } };
  }

  /** While calls wait, a timer checks again when the first of them has room. */
  #rearm(): void {
    clearTimeout(this.#timer);
    const now = performance.now();
    const waits = [false, true]
      .filter((write) => this.#waiting(write).size > 0)
      .map((write) => this.#waitOf(write, 0, now)?.waitMs ?? Number.POSITIVE_INFINITY);
    const waitMs = Math.min(...waits);
    if (waitMs === Number.POSITIVE_INFINITY) return; // nothing waits, or an answer has to come first
    this.#timer = setTimeout(() => this.#dispatch(), Math.ceil(waitMs));
  }
}
