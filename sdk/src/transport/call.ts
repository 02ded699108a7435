import ky, { TimeoutError as KyTimeoutError } from "ky";
import {
  ApiError,
  ConflictError,
  type FailureInfo,
  QueueApiError,
  RateLimitError,
  TimeoutError,
} from "../errors.js";
import type { AttemptEvent, WaitEvent } from "../hooks.js";
import type { CallEnd } from "../observers.js";
import { titleOf } from "../operation.js";
import { longestTimerMs, sleep } from "../sleep.js";
import { Attempt, type Failed, unanswered } from "./attempt.js";
import { Deadline } from "./deadline.js";
import type { PacedWait, Turn } from "./pacer.js";
import { backoff, decideRetry, mayHaveActed, type Retry } from "./retry.js";
import type { Step, Success, Task, Transport } from "./task.js";

let lastCallId = 0;

/** Sends a task until it succeeds, fails for good, or runs out of attempts or time. */
export async function send(transport: Transport, task: Task): Promise<Success> {
  const { observers } = transport;
  const call = new Call(transport, task);
  try {
    const success = await call.run();
    call.forget();
    observers.succeeded(call.end, success.response.status, success.requestId);
    return success;
  } catch (error) {
    if (error instanceof QueueApiError) {
      // The stack contained only ky; captured here, it includes the caller.
      Error.captureStackTrace?.(error);
    }
    observers.failed(call.end, error);
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
  readonly #startedAt = performance.now();
  #attempts = 0;
  /** The API key of the next attempt. */
  #key = "";
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
    this.#deadline = new Deadline({
      ...task,
      title: titleOf(task.operation),
      facts: () => this.#info(this.#recovering),
      isAnswered: () => this.#attempt?.step === task && this.#attempt.success !== null,
      stop: (error) => this.#attempt?.stop(unanswered(null, error)),
    });
  }

  /** The facts for the log at the end of the call. */
  get end(): CallEnd {
    return {
      callId: this.#id,
      operation: this.#task.operation.name,
      attempts: this.#attempts,
      durationMs: performance.now() - this.#startedAt,
    };
  }

  run(): Promise<Success> {
    return this.#deadline.run(() => this.#send(this.#task));
  }

  /**
   * Drops the answer after the call. Objects of ky outlive the call until a full garbage collection. If they
   * held the answer, a long iteration would promote every page that it has read to the old generation.
   */
  forget(): void {
    this.#attempt?.forget();
  }

  /** Sends a step until it succeeds or finally fails. */
  async #send(step: Step): Promise<Success> {
    for (;;) {
      const attempt = this.#begin(step, await this.#turn(step));
      try {
        return await this.#sendByKy(attempt);
      } catch (error) {
        if (!(await this.#triesAgain(attempt))) throw error;
      }
      if (this.#retry) await sleep(this.#retry.waitMs, this.#deadline.signal);
      const settled = step === this.#task ? await this.#settled() : null;
      if (settled) return settled;
    }
  }

  /** Sends an attempt through ky, within its timeout. Without ky's retries: the pacer and the deadline decide too. */
  async #sendByKy(attempt: Attempt): Promise<Success> {
    const { operation, url } = attempt.step;
    const { timeoutMs } = this.#task;
    try {
      await ky(url, {
        method: operation.method,
        timeout: timeoutMs > longestTimerMs ? false : timeoutMs,
        retry: 0,
        fetch: async () => (await attempt.send()).response,
      });
      return attempt.success as Success; // ky returned its response
    } catch (error) {
      if (!(error instanceof KyTimeoutError)) throw error;
      const timedOut = this.#timedOut();
      attempt.stop(timedOut);
      throw timedOut.error;
    }
  }

  /** The key and the permission to send the next attempt; null without pacing. */
  async #turn(step: Step): Promise<Turn | null> {
    const { pacer, credentials } = this.#transport;
    const write = step.operation.method !== "GET";
    this.#deadline.throwIfOver();
    this.#key = await credentials.key();
    this.#deadline.throwIfOver();
    if (!pacer) return null;
    const onKnown = (wait: PacedWait) => this.#onPacedWait(step, wait);
    return pacer.take(write) ?? pacer.wait(write, { signal: this.#deadline.signal, onKnown });
  }

  /** Tells of a wait for the rate limit. Returns the error of a call that has no time for it. */
  #onPacedWait(step: Step, { waitMs, limit }: PacedWait): RateLimitError | null {
    const why = `${titleOf(step.operation)}: the limit of ${limit.perMinute} ${limit.of} per minute is used up.`;
    if (waitMs >= this.#deadline.remainingMs) {
      const { totalTimeoutMs } = this.#task;
      const next = `The next window begins in ${Math.ceil(waitMs)} ms, after totalTimeoutMs (${totalTimeoutMs}).`;
      return new RateLimitError(`${why} ${next}`, {
        ...this.#info(this.#recovering),
        ...{ status: 429, code: "rate_limited", retryAfterMs: Math.ceil(waitMs) },
        ...{ requestId: null, docUrl: null, details: [], required: [] },
      });
    }
    this.#tellOfWait(step, { reason: "pacing", waitMs, error: null }, why);
    return null;
  }

  #tellOfWait(step: Step, wait: Pick<WaitEvent, "reason" | "waitMs" | "error">, why: string): void {
    const { observers } = this.#transport;
    if (observers.none) return;
    const event = { ...this.#event(step), attempt: this.#attempts + 1, ...wait };
    observers.waits(event, why);
  }

  /** Starts an attempt, unless the call has ended since it got its turn. */
  #begin(step: Step, turn: Turn | null): Attempt {
    const { pacer, observers } = this.#transport;
    if (turn && this.#deadline.isOver) pacer?.giveBack(turn);
    this.#deadline.throwIfOver();
    this.#attempts += 1;
    const event = observers.none ? null : this.#event(step);
    const facts = { key: this.#key, turn, event, info: this.#info() };
    this.#attempt = new Attempt(this.#transport, step, facts);
    return this.#attempt;
  }

  /** Decides whether a failed attempt is retried. */
  async #triesAgain({ step, failed }: Attempt): Promise<boolean> {
    this.#retry = null;
    if (!failed?.failure) return false;
    // The attempt whose answer was lost may have canceled the entry: the next attempt reads it.
    if (this.#lost && isInvalidState(failed.error)) return !this.#outOfAttempts;
    this.#retry = (await this.#withOtherKey(failed)) ?? this.#decideRetry(failed);
    if (!this.#retry) return false;
    this.#tellOfWait(step, { ...this.#retry, error: failed.error }, failed.error.message);
    this.#recovering = failed.error;
    return true;
  }

  #decideRetry({ failure, error }: Failed): Retry | null {
    return (
      failure &&
      decideRetry(failure, {
        attempts: this.#attempts,
        maxRetries: this.#task.maxRetries,
        repeatable: this.#task.repeatable,
        backoffMs: backoff(this.#attempts, Math.random()),
        retryAfterMs: error instanceof ApiError ? error.retryAfterMs : null,
        remainingMs: this.#deadline.remainingMs,
      })
    );
  }

  /** A retry with another key, if the key was refused and there is another. */
  async #withOtherKey({ response }: Failed): Promise<Retry | null> {
    if (response?.status !== 401) return null;
    const key = await this.#transport.credentials.keyAfter(this.#key);
    return key === null || this.#outOfAttempts ? null : { reason: "key_changed", waitMs: 0 };
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
    const message = `${titleOf(operation)}: no complete answer came within ${timeoutMs} ms (timeoutMs).`;
    const error = new TimeoutError(message, { ...this.#info(), clock: "attempt" });
    return unanswered({ kind: "timeout" }, error);
  }

  #event({ operation, url: sent }: Step): AttemptEvent {
    const { name, method, path: route } = operation;
    const url = this.#transport.redactor.text(sent);
    return { callId: this.#id, attempt: this.#attempts, operation: name, method, url, route };
  }

  #info(cause?: unknown): FailureInfo {
    const { operation, idempotencyKey } = this.#task;
    const { name, method, path } = operation;
    return { attempts: this.#attempts, idempotencyKey, operation: name, method, path, cause };
  }

  /** An error of an earlier attempt, with the count of all attempts. */
  #final(error: QueueApiError): QueueApiError {
    return Object.assign(error, { attempts: this.#attempts });
  }
}

function isInvalidState(error: QueueApiError): boolean {
  return error instanceof ConflictError && error.code === "invalid_state";
}
