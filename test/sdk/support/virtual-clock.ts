import { onTestFinished, vi } from "vitest";

/** Time that passes only when a test advances it, until the test ends. Randomness is always in the middle. */
export class VirtualClock {
  constructor() {
    if (vi.isFakeTimers()) return;
    vi.useFakeTimers({
      now: Date.UTC(2026, 10, 21, 4, 30),
      toFake: ["setTimeout", "clearTimeout", "performance", "Date"],
      shouldClearNativeTimers: true,
    });
    const random = vi.spyOn(Math, "random").mockReturnValue(0.5);
    onTestFinished(() => {
      vi.useRealTimers();
      random.mockRestore();
    });
  }

  /** Milliseconds since the start, by the steady clock. */
  now(): number {
    return performance.now();
  }

  /** The number of set timers. */
  get pending(): number {
    return vi.getTimerCount();
  }

  /** Advances the clock of the system alone, as when the process is frozen. */
  freeze(ms: number): void {
    vi.setSystemTime(Date.now() + ms);
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

  /** Advances the time, timer by timer, until a condition is true. A day is longer than any test waits for. */
  async untilTrue(holds: () => boolean, busy = () => false): Promise<void> {
    const end = this.now() + 24 * 60 * 60_000;
    while (this.now() < end) {
      await turnOfTheLoop();
      await turnOfTheLoop(); // the first turn can have set timers
      if (holds()) return;
      if (busy()) continue;
      if (this.pending === 0) throw new Error("time stands still: nothing is left to wait for");
      vi.advanceTimersToNextTimer();
    }
    throw new Error("a day has passed, and the condition is not true");
  }
}

/** Waits until all ready callbacks have run. */
export function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
