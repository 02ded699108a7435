import { maxTimerMs } from "../signals.js";
import { type RateReport, RateWindow } from "./rate-window.js";

/** Permission to send one request. It must be ended in every case. */
export interface Turn {
  readonly sentAt: number;
  readonly write: boolean;
}

export interface PacedCall {
  readonly write: boolean;
  /** Its place in the line, after earlier calls: the same for all its attempts, so that a refused call keeps it. */
  readonly place: number;
  /** The shortest wait, which the service requested. */
  readonly waitMs: number;
  /** Ends the wait. The caller ends a turn that arrives at that moment. */
  readonly signal: AbortSignal;
  /**
   * Called when it has to wait, with the window without room: first with `Infinity` if a response has to come first, and
   * once the time is known. Ends the wait if it returns an error. Runs in the async context of another call.
   */
  readonly onWait: (waitMs: number, window: RateWindow) => Error | null;
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
  #line: Waiter[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #clockOffset = Date.now() - performance.now();
  #frozenMs = 0;
  /** Whether a dispatch follows in this turn of the event loop. */
  #isDue = false;

  turn(call: PacedCall): Promise<Turn> {
    const { signal, place, waitMs } = call;
    const dispatch = () => this.#dispatchSoon();
    return new Promise<Turn>((go, fail) => {
      const waiter = { ...call, readyAt: this.#now() + waitMs, go, fail, isTold: false };
      const next = this.#line.findIndex((other) => other.place > place);
      this.#line.splice(next < 0 ? this.#line.length : next, 0, waiter);
      signal.addEventListener("abort", dispatch);
      dispatch();
    }).finally(() => signal.removeEventListener("abort", dispatch));
  }

  /**
   * Ends a request, and lets waiting calls continue.
   *
   * @param end - What its response reported; `unlimited` for a success without a report; null if unknown.
   * @param isCharged - False if it was refused for its limit, or not sent: then it counts in no window.
   */
  end({ sentAt, write }: Turn, end: RateReport | "unlimited" | null, isCharged: boolean): void {
    const report = end === "unlimited" ? null : end;
    // If the report names no window, the limit of a write's response identifies it.
    const isOfWrites = write && report?.limit !== this.#requests.limit;
    const about = report?.policy?.reported ?? (isOfWrites ? "writes" : "requests");
    for (const window of this.#windows(write)) {
      window.end(sentAt, window.name === about ? report : null, this.#now(), isCharged);
    }
    for (const window of this.#windows(true)) {
      if (end === "unlimited") window.limit ??= Number.POSITIVE_INFINITY;
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

  #windows(write: boolean): RateWindow[] {
    return write ? [this.#requests, this.#writes] : [this.#requests];
  }

  /**
   * Dispatches once for all calls that begin or leave at this moment: each dispatch looks at every waiting call, so
   * thousands of them would block the event loop of the program for seconds. A bare runtime has promises, and no
   * `queueMicrotask`.
   */
  #dispatchSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    void Promise.resolve().then(() => {
      this.#isDue = false;
      this.#dispatch();
    });
  }

  /** Gives a turn to each call that has room, tells the others how long they wait, and sets the timer. */
  #dispatch(): void {
    const reads = { count: 0, waitMs: 0 };
    const writes = { count: 0, waitMs: 0 };
    let nextMs = Number.POSITIVE_INFINITY; // if nothing waits, or a response has to come first
    const waiting: Waiter[] = [];
    for (const waiter of this.#line) {
      const before = waiter.write ? writes : reads; // the waiting calls of its kind
      const own = this.#waitOf(waiter, before.count);
      const waitMs = Math.max(own.waitMs, before.waitMs); // a refused call before it can wait longer
      if (waiter.signal.aborted) waiter.fail(waiter.signal.reason);
      else if (before.count === 0 && waitMs <= 0) this.#start(waiter);
      else if (this.#tell(waiter, waitMs, own.window)) {
        waiting.push(waiter);
        if (before.count === 0) nextMs = Math.min(nextMs, waitMs);
        before.count += 1;
        before.waitMs = waitMs;
      }
    }
    this.#line = waiting;
    clearTimeout(this.#timer);
    if (nextMs === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.#dispatch(), Math.min(Math.ceil(nextMs), maxTimerMs));
  }

  #start(waiter: Waiter): void {
    for (const window of this.#windows(waiter.write)) window.charge();
    waiter.go({ sentAt: this.#now(), write: waiter.write });
  }

  /** Tells a call how long it waits, until that is known. Returns whether it goes on waiting. */
  #tell(waiter: Waiter, waitMs: number, window: RateWindow): boolean {
    if (waiter.isTold) return true;
    waiter.isTold = waitMs !== Number.POSITIVE_INFINITY;
    const error = waiter.onWait(waitMs, window);
    if (error) waiter.fail(error);
    return error === null;
  }

  /** The wait of a call with others of its kind before it; `Infinity` while unknown. */
  #waitOf({ write, readyAt }: Waiter, before: number) {
    const now = this.#now();
    const windows = this.#windows(write);
    const rooms = windows.map((window) => ({ window, at: window.roomAt(now, before) }));
    const { window, at } = rooms.reduce((one, other) => (other.at > one.at ? other : one));
    return { waitMs: Math.max(at, readyAt) - now, window };
  }
}
