import { AbortError, TimeoutError } from "../errors.js";
import type { Environment } from "./environment.js";
import type { OnStop } from "./exchange.js";

/** What can end a call before its answer. */
export interface DeadlineOptions {
  /** Time of one attempt, in milliseconds. */
  readonly timeoutMs: number;
  /** Time of the whole call, in milliseconds. */
  readonly totalTimeoutMs: number;
  /** Any of them ends the call. */
  readonly signals: readonly AbortSignal[];
}

/** What to tell of a call that ends early. */
export type CallFacts = () => {
  readonly attempts: number;
  readonly idempotencyKey: string | null;
  /** The failure that the call was about to recover from. */
  readonly cause?: unknown;
};

/**
 * The two clocks and the caller's signals of one call. Whatever waits, waits in `attempt` or `wait`: it
 * settles at once when a clock or a signal ends it, and leaves no timer and no listener behind.
 */
export class Deadline {
  readonly #environment: Environment;
  readonly #options: DeadlineOptions;
  readonly #facts: CallFacts;
  readonly #endsAt: number;

  constructor(environment: Environment, options: DeadlineOptions, facts: CallFacts) {
    this.#environment = environment;
    this.#options = options;
    this.#facts = facts;
    this.#endsAt = environment.now() + options.totalTimeoutMs;
  }

  /** What is left of the call's time, in milliseconds. */
  get remainingMs(): number {
    return this.#endsAt - this.#environment.now();
  }

  /** Fails where the call was ended by its caller. */
  check(): void {
    if (this.#options.signals.some((signal) => signal.aborted)) throw this.#aborted();
  }

  /** Runs one attempt under both clocks. */
  attempt<Result>(work: (onStop: OnStop) => Promise<Result>): Promise<Result> {
    const { timeoutMs } = this.#options;
    return timeoutMs < this.remainingMs
      ? this.#run(work, timeoutMs, "attempt")
      : this.#run(work, this.remainingMs, "total");
  }

  /** Waits for something under the call's clock alone. */
  wait<Result>(work: (onStop: OnStop) => Promise<Result>): Promise<Result> {
    return this.#run(work, this.remainingMs, "total");
  }

  /** Lets time pass. */
  sleep(ms: number): Promise<void> {
    const { setTimer, clearTimer } = this.#environment;
    return this.wait(
      (onStop) =>
        new Promise((resolve) => {
          const timer = setTimer(resolve, ms);
          onStop(() => clearTimer(timer));
        }),
    );
  }

  #run<Result>(
    work: (onStop: OnStop) => Promise<Result>,
    ms: number,
    clock: "attempt" | "total",
  ): Promise<Result> {
    const { signals } = this.#options;
    const { setTimer, clearTimer } = this.#environment;
    return new Promise((resolve, reject) => {
      let stopWork: (reason: Error) => void = () => {};
      const release = () => {
        if (timer !== undefined) clearTimer(timer);
        for (const signal of signals) signal.removeEventListener("abort", abort);
      };
      const stop = (error: Error) => {
        release();
        reject(error);
        stopWork(error);
      };
      const expire = () => stop(this.#timedOut(clock));
      const abort = () => stop(this.#aborted());
      const timer = ms === Number.POSITIVE_INFINITY ? undefined : setTimer(expire, Math.max(0, ms));

      if (signals.some((signal) => signal.aborted)) return abort();
      for (const signal of signals) signal.addEventListener("abort", abort);
      const onStop: OnStop = (stop) => {
        stopWork = stop;
      };
      work(onStop).then(
        (result) => {
          release();
          resolve(result);
        },
        (error: unknown) => {
          release();
          reject(error);
        },
      );
    });
  }

  #timedOut(clock: "attempt" | "total"): TimeoutError {
    const { timeoutMs, totalTimeoutMs } = this.#options;
    const message =
      clock === "attempt"
        ? `No complete answer came within ${timeoutMs} ms (timeoutMs).`
        : `The call was not finished within ${totalTimeoutMs} ms (totalTimeoutMs).`;
    return new TimeoutError(message, { ...this.#facts(), clock });
  }

  #aborted(): AbortError {
    const reason: unknown = this.#options.signals.find((signal) => signal.aborted)?.reason;
    return new AbortError("The call was aborted.", { ...this.#facts(), cause: reason });
  }
}
