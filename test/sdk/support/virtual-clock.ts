import { onTestFinished } from "vitest";

interface PendingTimer {
  readonly at: number;
  readonly run: () => void;
}

/** The files whose time a test controls: those of the SDK and of ky. */
const virtual = /\/sdk\/src\/|\/node_modules\/ky\//;

const { setTimeout, clearTimeout } = globalThis;
const { now } = performance;
const { random } = Math;
const { now: dateNow } = Date;

/** Whether the caller of the current function is in one of those files. */
function calledByClient(): boolean {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = 3; // this function, the current function and its caller
  Error.prepareStackTrace = (_, sites) => sites[2]?.getFileName() ?? "";
  const caller = new Error().stack ?? "";
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  return virtual.test(caller);
}

/**
 * Time that passes only when a test advances it. {@link VirtualClock.install} makes the SDK use it.
 */
export class VirtualClock {
  #now: number;
  readonly #timers = new Set<PendingTimer>();
  /** How far the clock of the system is ahead of the steady one. */
  #frozenMs = 0;
  readonly #onTime: (now: number) => void;

  constructor({ start = 0, onTime = (_: number) => {} } = {}) {
    this.#now = start;
    this.#onTime = onTime;
  }

  readonly now = (): number => this.#now;

  readonly setTimer = (run: () => void, ms: number): PendingTimer => {
    const timer = { at: this.#now + ms, run };
    this.#timers.add(timer);
    return timer;
  };

  readonly clearTimer = (timer: unknown): boolean => this.#timers.delete(timer as PendingTimer);

  /**
   * Replaces the timers of the SDK's sources and of ky, the clocks, and the randomness, which is always in the middle,
   * until the test ends. All other timers, such as those of sockets, stay real.
   */
  install(): this {
    onTestFinished(uninstall);
    const setEither = (run: () => void, ms = 0, ...args: unknown[]) =>
      calledByClient() ? this.setTimer(run, ms) : setTimeout(run, ms, ...(args as []));
    globalThis.setTimeout = setEither as typeof setTimeout;
    globalThis.clearTimeout = (timer) => {
      if (!this.clearTimer(timer)) clearTimeout(timer);
    };
    performance.now = this.now;
    Date.now = () => this.#now + this.#frozenMs;
    Math.random = () => 0.5;
    return this;
  }

  /** The number of set timers. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Advances to the next timer and runs it. False if there is none. */
  next(): boolean {
    const [next] = [...this.#timers].sort((a, b) => a.at - b.at);
    if (!next) return false;
    this.#timers.delete(next);
    this.#now = Math.max(this.#now, next.at);
    this.#onTime(this.#now);
    next.run();
    return true;
  }

  /** Advances the clock of the system alone, as when the process is frozen. */
  freeze(ms: number): void {
    this.#frozenMs += ms;
  }

  /** Advances the time without running timers, like a busy machine. */
  skip(ms: number): void {
    this.#now += ms;
    this.#onTime(this.#now);
  }

  /**
   * Advances the time, timer by timer, until the promise settles. The clock stands still while a request or
   * other outside work is pending.
   */
  async until<Result>(promise: Promise<Result>, busy = () => false): Promise<Result> {
    let settled = false;
    const settle = () => {
      settled = true;
    };
    promise.then(settle, settle);
    await this.untilTrue(() => settled, busy);
    return promise;
  }

  /** Advances the time, timer by timer, until a condition is true. */
  async untilTrue(holds: () => boolean, busy = () => false): Promise<void> {
    for (;;) {
      await turnOfTheLoop();
      await turnOfTheLoop(); // the first turn can have set timers
      if (holds()) return;
      if (busy()) continue;
      if (!this.next()) throw new Error("time stands still: nothing is left to wait for");
    }
  }
}

function uninstall(): void {
  Object.assign(globalThis, { setTimeout, clearTimeout });
  performance.now = now;
  Date.now = dateNow;
  Math.random = random;
}

/** Waits until all ready callbacks have run. */
export function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
