import { onTestFinished } from "vitest";

interface PendingTimer {
  readonly at: number;
  readonly run: () => void;
}

/** The files whose time a test holds in its hands: those of the SDK, and of ky below it. */
const virtual = /\/sdk\/src\/|\/node_modules\/ky\//;

const { setTimeout, clearTimeout } = globalThis;
const { now } = performance;
const { random } = Math;

/** Whether the function that called the one which asks is one of those files. */
function calledByClient(): boolean {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = 3; // this function, the one that asks, and its caller
  Error.prepareStackTrace = (_, sites) => sites[2]?.getFileName() ?? "";
  const caller = new Error().stack ?? "";
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  return virtual.test(caller);
}

/**
 * Time that passes only when a test lets it. {@link VirtualClock.install} lets the SDK live in it.
 */
export class VirtualClock {
  #now: number;
  readonly #timers = new Set<PendingTimer>();
  readonly #onTime: (now: number) => void;
  readonly #random: () => number;

  constructor({ start = 0, seed = 1, onTime = (_: number) => {} } = {}) {
    this.#now = start;
    this.#onTime = onTime;
    this.#random = seededRandom(seed);
  }

  readonly now = (): number => this.#now;

  readonly setTimer = (run: () => void, ms: number): PendingTimer => {
    const timer = { at: this.#now + ms, run };
    this.#timers.add(timer);
    return timer;
  };

  readonly clearTimer = (timer: unknown): boolean => this.#timers.delete(timer as PendingTimer);

  /**
   * Takes over the timers and the randomness of the SDK's sources and of ky, and `performance.now`, until the
   * test ends. The timers of everything else, such as the sockets below, stay real.
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
    Math.random = () => (calledByClient() ? this.#random() : random());
    return this;
  }

  /** Timers that are set. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Goes to the next timer and lets it run; false when there is none. */
  next(): boolean {
    const [next] = [...this.#timers].sort((a, b) => a.at - b.at);
    if (!next) return false;
    this.#timers.delete(next);
    this.#now = Math.max(this.#now, next.at);
    this.#onTime(this.#now);
    next.run();
    return true;
  }

  /** Lets time pass without looking at timers, as a busy machine does. */
  skip(ms: number): void {
    this.#now += ms;
    this.#onTime(this.#now);
  }

  /**
   * Lets time pass, timer by timer, until the promise settles. While something is busy outside, for
   * example a request under way, the clock stands still.
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

  /** Lets time pass, timer by timer, until something holds. */
  async untilTrue(holds: () => boolean, busy = () => false): Promise<void> {
    for (;;) {
      await turnOfTheLoop();
      await turnOfTheLoop(); // what the first let happen may have set timers
      if (holds()) return;
      if (busy()) continue;
      if (!this.next()) throw new Error("time stands still: nothing is left to wait for");
    }
  }
}

function uninstall(): void {
  Object.assign(globalThis, { setTimeout, clearTimeout });
  performance.now = now;
  Math.random = random;
}

/** Lets everything happen that is ready to. */
export function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
