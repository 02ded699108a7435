import ky, { TimeoutError as KyTimeoutError } from "ky";
import { isReplay, rateReport, readAnswer } from "../answer.js";
import { isHeader } from "../check-options.js";
import {
  AbortError,
  ApiError,
  ConflictError,
  type FailureInfo,
  QueueApiError,
  RateLimitError,
  RequestInProgressError,
  TimeoutError,
} from "../errors.js";
import { NetworkFailure, readNetworkFailure } from "../failure.js";
import type { AttemptEvent, WaitEvent } from "../hooks.js";
import type { CallEnd } from "../log.js";
import { titleOf } from "../operation.js";
import { abortable, follow, longestTimerMs } from "../signals.js";
import type { Step, Success, Task, Transport } from "../task.js";
import { wholeFetch } from "./fetch.js";
import type { PacedWait, Turn } from "./pacer.js";
import { backoff, decideRetry, type Failure, mayHaveActed, type Retry } from "./retry.js";

let lastCallId = 0;

/** Sends a task until it succeeds, fails for good, or runs out of attempts or time. */
export async function send(transport: Transport, task: Task): Promise<Success> {
  const { observers } = transport;
  const call = new Call(transport, task);
  try {
    const success = await call.run();
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

/** A request that has been sent, until its answer is read or it is given up. */
interface Attempt {
  readonly step: Step;
  readonly event: AttemptEvent;
  readonly startedAt: number;
  /** Null without pacing. */
  readonly turn: Turn | null;
}

/** How an attempt failed. */
interface Failed {
  readonly failure: Failure;
  readonly error: QueueApiError;
}

/** What an attempt was answered. */
type Answered = Pick<Success, "response" | "requestId">;

/** One call. ky sends its requests; the methods here are what ky calls on the way. */
class Call {
  readonly #transport: Transport;
  readonly #task: Task;
  readonly #id = ++lastCallId;
  readonly #startedAt = performance.now();
  readonly #place: number;
  readonly #stop = new AbortController();
  /** Aborted by the caller, or at the end of the call's time. */
  readonly #signal = this.#stop.signal;
  #isExpired = false;
  /** Requests sent. */
  #attempts = 0;
  /** The API key of the last attempt. */
  #key = "";
  /** The attempt in progress. */
  #attempt: Attempt | null = null;
  /** How the last attempt failed. */
  #failed: Failed | null = null;
  /** The retry after that; null before the first. */
  #retry: Retry | null = null;
  /** Whether an attempt may have taken effect although it did not succeed. */
  #mayHaveActed = false;
  /** Whether the answer of a task with a settlement read was lost. */
  #isSettling = false;
  #success: Success | null = null;

  constructor(transport: Transport, task: Task) {
    this.#transport = transport;
    this.#task = task;
    this.#place = transport.pacer?.place() ?? 0;
  }

  /** The facts for the log at the end of the call. */
  get end(): CallEnd {
    const { operation, params, idempotencyKey } = this.#task;
    return {
      callId: this.#id,
      operation: operation.name,
      params,
      idempotencyKey,
      attempts: this.#attempts,
      durationMs: performance.now() - this.#startedAt,
    };
  }

  async run(): Promise<Success> {
    const { totalTimeoutMs, signals } = this.#task;
    const releases = signals.map((signal) => follow(signal, this.#stop));
    const expire = () => {
      this.#isExpired = !this.#signal.aborted;
      this.#stop.abort();
    };
    const timer =
      totalTimeoutMs === Number.POSITIVE_INFINITY
        ? undefined
        : setTimeout(expire, Math.min(totalTimeoutMs, longestTimerMs));
    try {
      return await this.#request(this.#task);
    } catch (error) {
      if (!this.#signal.aborted) throw error;
      const ended = this.#ended();
      this.#endAttempt(ended);
      throw ended;
    } finally {
      clearTimeout(timer);
      for (const release of releases) release();
    }
  }

  /** Sends a request until it succeeds or fails for good. */
  async #request(step: Step): Promise<Success> {
    const { operation, url, headers, body } = step;
    const { timeoutMs } = this.#task;
    await ky(url, {
      method: operation.method,
      headers,
      ...(body !== undefined && { body }),
      signal: this.#signal,
      timeout: timeoutMs > longestTimerMs ? false : timeoutMs,
      throwHttpErrors: false,
      fetch: (request) => this.#fetch(request as Request),
      retry: {
        limit: Number.POSITIVE_INFINITY, // `decideRetry` counts: the read that settles a call is an attempt too
        methods: ["get", "post", "put", "patch", "delete"],
        shouldRetry: ({ error }) => this.#triesAgain(error),
        delay: () => this.#retry?.waitMs ?? 0,
      },
      hooks: {
        beforeRequest: [(request) => this.#begin(step, request)],
        afterResponse: [(_request, _options, response) => this.#read(step, response)],
        beforeRetry: [() => this.#beforeRetry(step)],
      },
    });
    return this.#success as Success; // ky returned its response
  }

  /** Before each attempt: its key, its turn, and what hooks add. */
  async #begin(step: Step, { headers }: Request): Promise<void> {
    this.#key = await abortable(this.#transport.credentials.key(), this.#signal);
    const turn = await this.#turn(step);
    if (turn && this.#signal.aborted) this.#transport.pacer?.end(turn, null, false);
    this.#signal.throwIfAborted();
    this.#retry = null;
    this.#attempts += 1;
    const event = this.#event(step, this.#attempts);
    this.#attempt = { step, event, turn, startedAt: performance.now() };
    const isOwn = (name: string) => name === "authorization" || name in step.headers;
    for (const name of [...headers.keys()]) {
      if (!isOwn(name)) headers.delete(name); // a hook added it to the attempt before
    }
    headers.set("authorization", `Bearer ${this.#key}`);
    const addHeader = (name: string, value: string) => {
      if (!isHeader(name, value)) throw new TypeError("The header cannot be sent.");
      if (!isOwn(name.toLowerCase())) headers.set(name, value);
    };
    this.#transport.observers.notify("onRequest", { ...event, addHeader });
  }

  /** Permission to send a request; null without pacing. A refused call waits at its place in the line. */
  async #turn(step: Step): Promise<Turn | null> {
    const { pacer } = this.#transport;
    if (!pacer) return null;
    return pacer.turn({
      write: step.operation.method !== "GET",
      place: this.#place,
      waitMs: this.#waitsInLine ? (this.#retry?.waitMs ?? 0) : 0,
      signal: this.#signal,
      onKnown: (wait) => this.#paced(step, wait),
    });
  }

  /** Tells of a wait for the rate limit. Returns the error of a call that has no time for it. */
  #paced(step: Step, { waitMs, limit }: PacedWait): RateLimitError | null {
    const why = `${titleOf(step.operation)}: the limit of ${limit.perMinute} ${limit.of} per minute is used up.`;
    if (waitMs >= this.#remainingMs) {
      const { totalTimeoutMs } = this.#task;
      const next = `The next window begins in ${Math.ceil(waitMs)} ms, after totalTimeoutMs (${totalTimeoutMs}).`;
      return new RateLimitError(`${why} ${next}`, {
        ...this.#info(this.#failed?.error),
        ...{ code: "rate_limited", retryAfterMs: Math.ceil(waitMs) },
        ...{ status: null, requestId: null, docUrl: null, details: [], required: [] },
      });
    }
    if (!this.#waitsInLine) {
      this.#tellOfWait(step, { reason: "pacing", waitMs, error: null }, why); // else told when it was refused
    }
    return null;
  }

  /** One attempt, within ky's timeout. */
  #fetch(request: Request): Promise<Response> {
    const { fetch = globalThis.fetch, fetchOptions } = this.#transport;
    return abortable(wholeFetch(fetch, request, fetchOptions), request.signal);
  }

  /** After each answer: the call has succeeded, or is repeated, or has failed. */
  async #read(step: Step, response: Response) {
    const { redactor } = this.#transport;
    const { operation, body } = step;
    const id = response.headers.get("x-request-id");
    const answer = { response, requestId: id && redactor.text(id) };
    const text = await response.text();
    const info = this.#info();
    const reading = readAnswer({ response, text }, { operation, redactor, body, info });
    if ("envelope" in reading) {
      this.#endAttempt(null, answer);
      const replayed = isReplay(response) && !this.#mayHaveActed;
      this.#success = { ...reading, ...answer, attempts: this.#attempts, replayed };
      return undefined;
    }
    const { failure, error } = reading;
    this.#fail(failure, error, answer);
    // The attempt whose answer was lost may have canceled the entry.
    if (this.#isSettling && isInvalidState(error) && this.#hasRetries) return this.#settle(true);
    this.#retry = (await this.#withOtherKey(response)) ?? this.#decide(failure, error);
    if (!this.#retry) throw error;
    this.#tellOfWait(step, { ...this.#retry, error }, error.message);
    return ky.retry({ delay: this.#waitsInLine ? 0 : this.#retry.waitMs });
  }

  /** After an attempt without an answer: whether it is repeated. Throws the error of the call otherwise. */
  #triesAgain(thrown: Error): boolean {
    if (!this.#attempt || this.#signal.aborted) return false; // ky throws what was thrown
    const { step } = this.#attempt;
    const failed = this.#unanswered(step, thrown);
    if (!failed) return false;
    this.#fail(failed.failure, failed.error);
    this.#retry = this.#decide(failed.failure, failed.error);
    if (!this.#retry) throw failed.error;
    this.#tellOfWait(step, { ...this.#retry, error: failed.error }, failed.error.message);
    return true;
  }

  /** The failure of an attempt without an answer; null for a bug of the `fetch`. */
  #unanswered(step: Step, thrown: Error): Failed | null {
    const title = titleOf(step.operation);
    if (thrown instanceof KyTimeoutError) {
      const message = `${title}: no complete answer came within ${this.#task.timeoutMs} ms (timeoutMs).`;
      const error = new TimeoutError(message, { ...this.#info(), clock: "attempt" });
      return { failure: { kind: "timeout" }, error };
    }
    if (!(thrown instanceof NetworkFailure)) {
      const message = `${title}: fetch threw what is no failure of the network.`;
      this.#endAttempt(new QueueApiError(message, this.#info()));
      return null;
    }
    return readNetworkFailure(thrown, step, this.#transport.redactor, this.#info());
  }

  /** Before a retry: reads what became of a cancellation whose answer was lost. */
  async #beforeRetry(step: Step): Promise<Response | undefined> {
    const isLost = this.#failed && mayHaveActed(this.#failed.failure);
    return step === this.#task && isLost ? this.#settle(false) : undefined;
  }

  /**
   * Reads the state of the task. Returns the answer that was lost, or undefined if the task must be sent again.
   *
   * @param isLast - Whether the task is not sent again.
   */
  async #settle(isLast: boolean): Promise<Response | undefined> {
    const { settlement } = this.#task;
    const { error } = this.#failed as Failed; // a failure leads here
    if (!settlement) return undefined;
    this.#isSettling = true;
    const final = () => Object.assign(error, { attempts: this.#attempts });
    const read = await this.#request(settlement).catch((thrown: unknown) => {
      throw thrown instanceof QueueApiError ? final() : thrown;
    });
    const envelope = settlement.settles(read.envelope);
    if (!envelope && (isLast || !this.#hasRetries)) throw final();
    if (!envelope) return undefined;
    this.#success = { ...read, envelope };
    return Response.json(envelope);
  }

  /** Ends an attempt that failed. */
  #fail(failure: Failure, error: QueueApiError, answer?: Answered): void {
    const isWrite = this.#attempt?.step.operation.method !== "GET";
    this.#failed = { failure, error };
    this.#mayHaveActed ||= isWrite && mayHaveActed(failure);
    const isRunning = error instanceof RequestInProgressError; // and may still create the token
    Object.assign(error, { outcome: this.#mayHaveActed || isRunning ? "unknown" : "none" });
    this.#endAttempt(error, answer);
  }

  /** Ends the attempt in progress, if there is one. */
  #endAttempt(error: QueueApiError | null, answer?: Answered): void {
    if (!this.#attempt) return;
    const { turn, event, startedAt } = this.#attempt;
    const { pacer, observers } = this.#transport;
    this.#attempt = null;
    const isCharged = !(error instanceof RateLimitError && error.code === "rate_limited");
    if (turn) pacer?.end(turn, answer ? reportOf(answer.response, error) : null, isCharged);
    observers.notify("onResponse", {
      ...event,
      status: answer?.response.status ?? null,
      requestId: answer?.requestId ?? null,
      durationMs: performance.now() - startedAt,
      error,
    });
  }

  #decide(failure: Failure, error: QueueApiError): Retry | null {
    return decideRetry(failure, {
      attempts: this.#attempts,
      maxRetries: this.#task.maxRetries,
      repeatable: this.#task.repeatable,
      backoffMs: backoff(this.#attempts, Math.random()),
      retryAfterMs: error instanceof ApiError ? error.retryAfterMs : null,
      remainingMs: this.#remainingMs,
    });
  }

  /** A retry with another key, if the key was refused and there is another. */
  async #withOtherKey({ status }: Response): Promise<Retry | null> {
    if (status !== 401) return null;
    const key = await abortable(this.#transport.credentials.keyAfter(this.#key), this.#signal);
    return key === null || !this.#hasRetries ? null : { reason: "key_changed", waitMs: 0 };
  }

  /** The error of a call that its caller or its time ended. */
  #ended(): QueueApiError {
    const { operation, totalTimeoutMs } = this.#task;
    this.#mayHaveActed ||= this.#attempt !== null && this.#attempt.step.operation.method !== "GET";
    if (!this.#isExpired) {
      const { reason } = this.#signal;
      return new AbortError(`${titleOf(operation)}: the call was aborted.`, this.#info(reason));
    }
    const message = `${titleOf(operation)}: the call was not finished within ${totalTimeoutMs} ms (totalTimeoutMs).`;
    return new TimeoutError(message, { ...this.#info(this.#failed?.error), clock: "total" });
  }

  /** Whether the wait of a retry passes in the line of the pacer, and not in ky. */
  get #waitsInLine(): boolean {
    return this.#transport.pacer !== null && this.#retry?.reason === "rate_limited";
  }

  get #hasRetries(): boolean {
    return this.#attempts <= this.#task.maxRetries;
  }

  get #remainingMs(): number {
    return this.#startedAt + this.#task.totalTimeoutMs - performance.now();
  }

  #tellOfWait(step: Step, wait: Pick<WaitEvent, "reason" | "waitMs" | "error">, why: string): void {
    this.#transport.observers.waits({ ...this.#event(step, this.#attempts + 1), ...wait }, why);
  }

  #event({ operation, url: sent }: Step, attempt: number): AttemptEvent {
    const { name, method, path: route } = operation;
    const url = this.#transport.redactor.text(sent);
    return { callId: this.#id, attempt, operation: name, method, url, route };
  }

  #info(cause?: unknown): FailureInfo {
    const { operation, idempotencyKey } = this.#task;
    const { name, method, path } = operation;
    const outcome = this.#mayHaveActed ? "unknown" : "none";
    const call = { operation: name, method, path, idempotencyKey };
    const isRepeatable = this.#task.repeatable;
    return { ...call, attempts: this.#attempts, outcome, isRepeatable, cause };
  }
}

/**
 * What an answer reports on the rate limit. An answer to a request without a valid key reports the limit of failed
 * authentications, not of the key.
 */
function reportOf({ status, headers }: Response, error: QueueApiError | null) {
  const isKeyless = error instanceof ApiError && error.code === "too_many_failed_attempts";
  if (status === 401 || isKeyless) return null;
  return rateReport(headers) ?? (error ? null : "unlimited");
}

function isInvalidState(error: QueueApiError): boolean {
  return error instanceof ConflictError && error.code === "invalid_state";
}
