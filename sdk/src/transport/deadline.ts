import { AbortError, type FailureInfo, type QueueApiError, TimeoutError } from "../errors.js";
import { longestTimerMs } from "../sleep.js";
import type { Task } from "./task.js";

/** The events that can end a call before its answer. */
export interface DeadlineOptions extends Pick<Task, "totalTimeoutMs" | "signals"> {
  /** The name of the call in messages. */
  readonly title: string;
  /** The facts for errors; the cause is the failure that the call was recovering from. */
  readonly facts: () => FailureInfo;
  /** Whether the answer has arrived. Then nothing can end the call early. */
  readonly isAnswered: () => boolean;
  /** Stops the work in progress when the call ends early. */
  readonly stop: (error: QueueApiError) => void;
}

/**
 * The timeout of a whole call and its caller's signals, around all work of ky. When one of them ends the
 * call, the call settles at once, even if `fetch` ignores its signal. Leaves no timer and no listener.
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

  /** The remaining time of the call, in milliseconds. */
  get remainingMs(): number {
    return this.#endsAt - performance.now();
  }

  /** A signal for waits: aborted with the error of the call when the call ends early. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController(); // created on demand: it is slow, and most calls do not wait
    if (this.#error) this.#controller.abort(this.#error);
    return this.#controller.signal;
  }

  /** Whether something ended the call early. */
  get isOver(): boolean {
    return this.#error !== null;
  }

  /** @throws The error that ended the call early, if any. */
  throwIfOver(): void {
    if (this.#error) throw this.#error;
  }

  /** Runs the call within its deadline. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const { title, signals, totalTimeoutMs, facts, isAnswered, stop } = this.#options;
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
        const message = `${title}: the call was not finished within ${totalTimeoutMs} ms (totalTimeoutMs).`;
        end(new TimeoutError(message, { ...facts(), clock: "total" }));
      };
      const abort = () => {
        const reason: unknown = signals.find((signal) => signal.aborted)?.reason;
        end(new AbortError(`${title}: the call was aborted.`, { ...facts(), cause: reason }));
      };
      const timer =
        totalTimeoutMs === Number.POSITIVE_INFINITY
          ? undefined
          : setTimeout(expire, Math.min(totalTimeoutMs, longestTimerMs));
      const release = () => {
        clearTimeout(timer);
        for (const signal of signals) signal.removeEventListener("abort", abort);
      };
      if (signals.some((signal) => signal.aborted)) return abort();
      for (const signal of signals) signal.addEventListener("abort", abort);
      work().finally(release).then(resolve, reject);
    });
  }
}
