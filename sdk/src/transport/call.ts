import ky, { TimeoutError as KyTimeoutError } from "ky";
import {
  ApiError,
  ConflictError,
  type FailureInfo,
  QueueApiError,
  TimeoutError,
} from "../errors.js";
import type { AttemptEvent } from "../hooks.js";
import { longestTimerMs, sleep } from "../sleep.js";
import { Attempt, type Failed, unanswered } from "./attempt.js";
import { Deadline } from "./deadline.js";
import type { Turn } from "./pacer.js";
import { backoff, decideRetry, mayHaveActed, type Retry } from "./retry.js";
import type { Step, Success, Task, Transport } from "./task.js";

let lastCallId = 0;

const noDelay = () => 0;

/** Sends a task until it succeeds, fails for good, or runs out of attempts or time. */
export async function send(transport: Transport, task: Task): Promise<Success> {
  const { observers } = transport;
  const { id } = task.operation;
  const call = new Call(transport, task);
  try {
    const success = await call.run();
    call.forget();
    observers.succeeded(id, call.attempts);
    return success;
  } catch (error) {
    if (error instanceof QueueApiError) {
      // The stack contained only ky; captured here, it includes the caller.
      Error.captureStackTrace?.(error);
    }
    observers.failed(id, call.attempts, error);
    throw error;
  }
}

/**
 * One call. ky makes the attempts, each with ky's timeout. After a failed attempt, this class decides
 * whether to retry and what to do first, with the functions of `retry.ts`.
 */
class Call {
  readonly #transport: Transport;
  readonly #task: Task;
  readonly #deadline: Deadline;
  readonly #id = ++lastCallId;
  #attempts = 0;
  /** The current or last attempt. */
  #attempt: Attempt | null = null;
  /** The retry after its failure; null if the call continues for another reason. */
  #retry: Retry | null = null;
  /** The failure that the call is recovering from. */
  #recovering: QueueApiError | undefined;
  /** Whether the answer was lost to a request with a settlement read. */
  #lost = false;

  constructor(transport: Transport, task: Task) {
    this.#transport = transport;
    this.#task = task;
    const { totalTimeoutMs, signals } = task;
    this.#deadline = new Deadline({
      name: task.operation.name,
      totalTimeoutMs,
      signals,
      facts: () => this.#info(this.#recovering),
      isAnswered: () => this.#attempt?.step === task && this.#attempt.success !== null,
      stop: (error) => this.#attempt?.stop(unanswered(null, error)),
    });
  }

  /** The number of requests sent. */
  get attempts(): number {
    return this.#attempts;
  }

  run(): Promise<Success> {
    return this.#deadline.run(() => this.#send(this.#task));
  }

  /**
   * Drops the answer after the call. Objects of ky outlive the call until a full garbage collection. If they
   * held the answer, a long iteration would promote every page that it has read to the old generation.
   */
  forget(): void {
    this.#attempt = null;
  }

  /** Sends a step through ky until it succeeds or finally fails. */
  async #send(step: Step): Promise<Success> {
    const { timeoutMs } = this.#task;
    let settled: Success | null = null;
    let turn = await this.#turn(step);
    try {
      await ky(this.#transport.origin + step.path, {
        method: step.operation.method,
        timeout: timeoutMs > longestTimerMs ? false : timeoutMs,
        fetch: async () => (settled ?? (await this.#begin(step, turn).send())).response,
        retry: {
          limit: Number.POSITIVE_INFINITY, // decideRetry enforces the limit
          methods: [step.operation.method.toLowerCase()],
          shouldRetry: async ({ error }) => {
            if (!this.#triesAgain(step, error)) return false;
            if (this.#retry) await sleep(this.#retry.waitMs, this.#deadline.signal);
            if (step === this.#task) settled = await this.#settled(); // then there is nothing to send
            if (!settled) turn = await this.#turn(step);
            return true;
          },
          delay: noDelay, // the wait is already over: the deadline could not end a wait of ky
        },
      });
    } catch (error) {
      throw error instanceof KyTimeoutError ? this.#attempt?.failed?.error : error;
    }
    return settled ?? (this.#attempt?.success as Success); // ky returned an answer
  }

  /** Permission to send the next attempt; null without pacing. */
  async #turn({ operation }: Step): Promise<Turn | null> {
    const { pacer } = this.#transport;
    const write = operation.method !== "GET";
    this.#deadline.throwIfOver();
    return pacer && (pacer.take(write) ?? pacer.wait(write, this.#deadline.signal));
  }

  /** Starts an attempt, unless the call has ended since it got its turn. */
  #begin(step: Step, turn: Turn | null): Attempt {
    const { pacer, observers } = this.#transport;
    if (turn && this.#deadline.isOver) pacer?.giveBack(turn);
    this.#deadline.throwIfOver();
    this.#attempts += 1;
    const event = observers.none ? null : this.#event(step);
    this.#attempt = new Attempt(this.#transport, step, { turn, event, info: this.#info() });
    return this.#attempt;
  }

  /** Decides whether a failed attempt is retried. */
  #triesAgain(step: Step, error: Error): boolean {
    if (error instanceof KyTimeoutError) this.#attempt?.stop(this.#timedOut());
    const failed = this.#attempt?.failed;
    this.#retry = null;
    if (!failed?.failure) return false;
    // The attempt whose answer was lost may have canceled the entry: the next attempt reads it.
    if (this.#lost && isInvalidState(failed.error)) return !this.#outOfAttempts;
    const { observers } = this.#transport;
    const retry = decideRetry(failed.failure, {
      attempts: this.#attempts,
      maxRetries: this.#task.maxRetries,
      repeatable: this.#task.repeatable,
      backoffMs: backoff(this.#attempts, Math.random()),
      retryAfterMs: failed.error instanceof ApiError ? failed.error.retryAfterMs : null,
      remainingMs: this.#deadline.remainingMs,
    });
    if (!retry) return false;
    if (!observers.none) {
      observers.notify("onRetry", { ...this.#event(step), ...retry, error: failed.error });
    }
    this.#recovering = failed.error;
    this.#retry = retry;
    return true;
  }

  /**
   * Reads the state of the task if its answer was lost, or if it was refused and the previous attempt may be
   * the cause. Null if the task must be sent again.
   */
  async #settled(): Promise<Success | null> {
    const { settlement } = this.#task;
    const failed = this.#attempt?.failed;
    const refused = this.#retry === null;
    if (!settlement || !failed || (this.#retry && !mayHaveActed(this.#retry.reason))) return null;
    this.#lost = true;
    const read = await this.#send(settlement).catch((error: unknown) => {
      throw error instanceof QueueApiError ? this.#final(failed.error) : error;
    });
    const envelope = settlement.settles(read.envelope);
    if (envelope) return { ...read, envelope };
    if (refused || this.#outOfAttempts) throw this.#final(failed.error);
    return null;
  }

  get #outOfAttempts(): boolean {
    return this.#attempts > this.#task.maxRetries;
  }

  #timedOut(): Failed {
    const { operation, timeoutMs } = this.#task;
    const message = `${operation.name}: no complete answer came within ${timeoutMs} ms (timeoutMs).`;
    const error = new TimeoutError(message, { ...this.#info(), clock: "attempt" });
    return unanswered({ kind: "timeout" }, error);
  }

  #event({ operation, path }: Step): AttemptEvent {
    const { origin, redactor } = this.#transport;
    const { id, method, path: route } = operation;
    const url = redactor.text(origin + path);
    return { callId: this.#id, attempt: this.#attempts, operation: id, method, url, route };
  }

  #info(cause?: unknown): FailureInfo {
    const { operation, idempotencyKey } = this.#task;
    const { id, method, path } = operation;
    return { attempts: this.#attempts, idempotencyKey, operation: id, method, path, cause };
  }

  /** An error of an earlier attempt, with the count of all attempts. */
  #final(error: QueueApiError): QueueApiError {
    return Object.assign(error, { attempts: this.#attempts });
  }
}

function isInvalidState(error: QueueApiError): boolean {
  return error instanceof ConflictError && error.code === "invalid_state";
}
