import { AbortError, type FailureInfo, type QueueApiError, TimeoutError } from "../errors.js";
import { longestTimerMs } from "../sleep.js";

/** What can end a call before its answer. */
export interface DeadlineOptions {
  /** What messages call the call. */
  readonly name: string;
  /** Time of the whole call, in milliseconds. */
  readonly totalTimeoutMs: number;
  /** Any of them ends the call. */
  readonly signals: readonly AbortSignal[];
  /** What errors tell of the call; the cause is what it was recovering from. */
  readonly facts: () => FailureInfo;
  /** Whether the answer is there, and only has to be handed over: then nothing ends the call any more. */
  readonly isAnswered: () => boolean;
  /** Stops what is under way when the call ends early. */
  readonly stop: (error: QueueApiError) => void;
}

/**
 * The clock of a whole call and its caller's signals, around all that ky does: a call settles at once when
 * one of them ends it, even where `fetch` does not heed its signal, and leaves no timer and no listener.
 */
export class Deadline {
  readonly #options: DeadlineOptions;
  readonly #endsAt: number;
  #error: QueueApiError | null = null;
  #controller: AbortController | null = null;

  constructor(options: DeadlineOptions) {
    this.#options = options;
    this.#endsAt = performance.now() + options.totalTimeoutMs;
  }

  /** What is left of the call's time, in milliseconds. */
  get remainingMs(): number {
    return this.#endsAt - performance.now();
  }

  /** For waits: aborted, with the error of the call, when the call ends early. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController(); // only now: most calls wait for nothing, and it takes time
    if (this.#error) this.#controller.abort(this.#error);
    return this.#controller.signal;
  }

  /** Whether something ended the call early. */
  get isOver(): boolean {
    return this.#error !== null;
  }

  /** @throws What ended the call early, if anything has. */
  throwIfOver(): void {
    if (this.#error) throw this.#error;
  }

  /** Lets the call run for as long as it may. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const { name, signals, totalTimeoutMs, facts, isAnswered, stop } = this.#options;
    return new Promise((resolve, reject) => {
      const end = (error: QueueApiError) => {
        if (isAnswered()) return;
        release();
        reject(error);
        this.#error = error;
        this.#controller?.abort(error);
        stop(error);
      };
      const expire = () => {
        const message = `${name}: the call was not finished within ${totalTimeoutMs} ms (totalTimeoutMs).`;
        end(new TimeoutError(message, { ...facts(), clock: "total" }));
      };
      const abort = () => {
        const reason: unknown = signals.find((signal) => signal.aborted)?.reason;
        end(new AbortError(`${name}: the call was aborted.`, { ...facts(), cause: reason }));
      };
      const limited = totalTimeoutMs !== Number.POSITIVE_INFINITY;
      const timer = limited
        ? setTimeout(expire, Math.min(totalTimeoutMs, longestTimerMs))
        : undefined;
      const release = () => {
        if (timer !== undefined) clearTimeout(timer);
        for (const signal of signals) signal.removeEventListener("abort", abort);
      };
      if (signals.some((signal) => signal.aborted)) return abort();
      for (const signal of signals) signal.addEventListener("abort", abort);
      work().finally(release).then(resolve, reject);
    });
  }
}
