import { AbortError, type FailureInfo, type QueueApiError, TimeoutError } from "../errors.js";

/** What can end a call before its answer. */
export interface DeadlineOptions {
  /** What messages call the call. */
  readonly name: string;
  /** Time of the whole call, in milliseconds. */
  readonly totalTimeoutMs: number;
  /** Any of them ends the call. */
  readonly signals: readonly AbortSignal[];
}

/** Longer timers would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * The clock of a whole call and its caller's signals, around all that ky does: a call settles at once when
 * one of them ends it, even where `fetch` does not heed its signal, and leaves no timer and no listener.
 */
export class Deadline {
  /** Aborted when the call ends early. It lives as long as the call, which no signal of a caller need do. */
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #options: DeadlineOptions;
  readonly #facts: () => FailureInfo;
  readonly #endsAt: number;
  #error: QueueApiError | null = null;
  #release = () => {};

  /** @param facts - What to tell of the call when it ends early; the cause is what it was recovering from. */
  constructor(options: DeadlineOptions, facts: () => FailureInfo) {
    this.#options = options;
    this.#facts = facts;
    this.#endsAt = performance.now() + options.totalTimeoutMs;
    this.signal = this.#controller.signal;
  }

  /** What is left of the call's time, in milliseconds. */
  get remainingMs(): number {
    return this.#endsAt - performance.now();
  }

  /** What ended the call early; null where nothing has. */
  get error(): QueueApiError | null {
    return this.#error;
  }

  /** Lets the call run for as long as it may. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const { name, signals, totalTimeoutMs } = this.#options;
    return new Promise((resolve, reject) => {
      this.#release = () => {
        this.#release = () => {};
        if (timer !== undefined) clearTimeout(timer);
        for (const signal of signals) signal.removeEventListener("abort", abort);
      };
      const end = (error: QueueApiError) => {
        this.#error = error;
        this.#release();
        reject(error);
        this.#controller.abort(error);
      };
      const expire = () => {
        const message = `${name}: the call was not finished within ${totalTimeoutMs} ms (totalTimeoutMs).`;
        end(new TimeoutError(message, { ...this.#facts(), clock: "total" }));
      };
      const abort = () => {
        const reason: unknown = signals.find((signal) => signal.aborted)?.reason;
        end(new AbortError(`${name}: the call was aborted.`, { ...this.#facts(), cause: reason }));
      };
      const limited = totalTimeoutMs !== Number.POSITIVE_INFINITY;
      const timer = limited
        ? setTimeout(expire, Math.min(totalTimeoutMs, longestTimerMs))
        : undefined;

      if (signals.some((signal) => signal.aborted)) return abort();
      for (const signal of signals) signal.addEventListener("abort", abort);
      work()
        .then(resolve, reject)
        .finally(() => this.#release());
    });
  }

  /** Lets nothing end the call any more: its answer is there, and only has to be handed over. */
  release(): void {
    this.#release();
  }
}
