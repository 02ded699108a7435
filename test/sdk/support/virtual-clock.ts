import { randomUUID } from "node:crypto";
import type { Environment } from "../../../sdk/src/transport/environment.js";

interface PendingTimer {
  readonly at: number;
  readonly run: () => void;
}

/** Surroundings of a client in which time passes only when a test lets it. */
export class VirtualClock implements Environment {
  #now: number;
  readonly #timers = new Set<PendingTimer>();
  readonly #onTime: (now: number) => void;
  readonly random: () => number;

  constructor({ start = 0, seed = 1, onTime = (_: number) => {} } = {}) {
    this.#now = start;
    this.#onTime = onTime;
    this.random = seededRandom(seed);
  }

  readonly now = (): number => this.#now;

  readonly setTimer = (run: () => void, ms: number): PendingTimer => {
    const timer = { at: this.#now + ms, run };
    this.#timers.add(timer);
    return timer;
  };

  readonly clearTimer = (timer: unknown): void => {
    this.#timers.delete(timer as PendingTimer);
  };

  readonly uuid = (): string => randomUUID();

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
