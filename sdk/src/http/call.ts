import ky, { TimeoutError as KyTimeoutError } from "ky";
import type { Success } from "../api-promise.js";
import { isHeader, ofCall, reservedHeaders } from "../arguments.js";
import {
  AbortError,
  ApiError,
  ConnectionError,
  type ErrorInfo,
  QueueApiError,
  RateLimitError,
  RequestInProgressError,
  TimeoutError,
} from "../errors.js";
import type { AttemptEvent, ResponseEvent, WaitEvent } from "../hooks.js";
import { titleOf } from "../operation.js";
import type { Fetch } from "../options.js";
import { isReplay, readResponse, requestIdOf } from "../response.js";
import { abortable, follow } from "../signals.js";
import type { ApiRequest, Reader, Task, Transport } from "../task.js";
import { wholeFetch } from "./fetch.js";
import type { PacedCall, Turn } from "./pacer.js";
import { rateReport } from "./rate-window.js";
import { backoff, mayHaveActed } from "./retry.js";

let lastCallId = 0;

/** A request that has been sent, until its response is read or it is given up. */
interface Attempt {
  readonly event: AttemptEvent;
  readonly startedAt: number;
  /** Absent without pacing. */
  readonly turn: Turn | undefined;
  /** Whether `fetch` was called. */
  isSent: boolean;
}

/** The reason of the signal of a call whose time is over. */
const late = Symbol("late");

/**
 * A call that has waited in line sends no request in its last milliseconds. It would be aborted at once, and its outcome
 * would be unknown. This happens to calls that began together: when the first one ends, the next one gets its turn.
 */
const minRemainingMs = 50;

/** One call. ky sends its requests; the methods here are what ky calls on the way. */
export class Call {
  readonly #transport: Transport;
  readonly #task: Task;
  /** Also its place in the line of the pacer. */
  readonly #id = ++lastCallId;
  readonly #startedAt = performance.now();
  readonly #stop = new AbortController();
  /** Aborted by the caller, or at the end of the call's time. */
  readonly #signal = this.#stop.signal;
  /** The request that is sent: the task, or the read that settles it. */
  #current: ApiRequest;
  #attempts = 0;
  /** The API key of the last attempt. */
  #key = "";
  #attempt: Attempt | null = null;
  /** The error of the last attempt that failed. */
  #error: QueueApiError | undefined;
  /** The retry after that; null before the first. */
  #retry: Pick<WaitEvent, "reason" | "waitMs"> | null = null;
  /** Whether an attempt may have taken effect although it did not succeed. */
  #mayHaveActed = false;
  /** Whether the service reported that another request with the key is in progress, which may take effect. */
  #isRunning = false;
  /** What the call has waited for in the line of the pacer; null if it had its turn at once. */
  #waitsFor: string | null = null;
  #success: Success | null = null;

  constructor(transport: Transport, task: Task) {
    this.#transport = transport;
    this.#task = task;
    this.#current = task;
  }

  /** Sends the task until it succeeds, fails for good, or runs out of attempts or time. */
  async run(): Promise<Success> {
    const { observers } = this.#transport;
    const { totalTimeoutMs, signals } = this.#task;
    const releases = signals.map((signal) => follow(signal, this.#stop));
    const timer = setTimeout(() => this.#stop.abort(late), totalTimeoutMs);
    try {
      const success = await this.#request(this.#task);
      observers.succeeded(this.#end, success.response.status, success.requestId);
      return success;
    } catch (thrown) {
      const title = titleOf(this.#task.operation);
      // An apiKey that is missing or wrong is known only here.
      const error = this.#signal.aborted ? this.#ended() : ofCall(thrown, title, this.#info());
      // The stack contained only ky; captured here, it includes the caller.
      if (error instanceof QueueApiError) Error.captureStackTrace?.(error);
      observers.failed(this.#end, error);
      throw error;
    } finally {
      clearTimeout(timer);
      for (const release of releases) release();
    }
  }

  /** Sends a request until it succeeds or fails for good. */
  async #request(apiRequest: ApiRequest): Promise<Success> {
    const { operation, url, headers, body } = apiRequest;
    const { fetch, fetchOptions } = this.#transport.options;
    await ky(url, {
      method: operation.method,
      headers,
      ...(body !== undefined && { body }),
      signal: this.#signal,
      timeout: this.#task.timeoutMs,
      throwHttpErrors: false,
      fetch: (given) => {
        const request = given as Request;
        const send: Fetch = (...sent) => {
          if (this.#attempt) this.#attempt.isSent = true;
          return (fetch ?? globalThis.fetch)(...sent);
        };
        return abortable(wholeFetch(send, request, this.#reader, fetchOptions), request.signal);
      },
      retry: {
        limit: Number.POSITIVE_INFINITY, // `#plan` counts: the read that settles a call is an attempt too
        methods: ["get", "post", "put", "patch", "delete"],
        shouldRetry: ({ error }) => this.#triesAgain(error),
        delay: () => (this.#waitsInLine ? 0 : (this.#retry?.waitMs ?? 0)),
      },
      hooks: {
        beforeRequest: [(request) => this.#begin(apiRequest, request)],
        afterResponse: [(_request, _options, response) => this.#read(response)],
        beforeRetry: [() => this.#settle(false)],
      },
    });
    return this.#success as Success; // ky returned its response
  }

  /** Before each attempt: its key, its turn, and what hooks add. A refused call waits at its place in the line. */
  async #begin(apiRequest: ApiRequest, { headers }: Request): Promise<void> {
    const { credentials, pacer, observers } = this.#transport;
    this.#current = apiRequest;
    this.#key = await credentials.key(this.#signal);
    const turn = await pacer?.turn({
      write: this.#isWrite,
      place: this.#id,
      waitMs: this.#waitsInLine ? (this.#retry?.waitMs ?? 0) : 0,
      signal: this.#signal,
      onWait: this.#whenPaced(),
    });
    if (this.#waitsFor !== null && this.#remainingMs < minRemainingMs) this.#stop.abort(late);
    if (turn && this.#signal.aborted) pacer?.end(turn, null, false);
    this.#signal.throwIfAborted();
    this.#retry = null;
    const event = this.#event(++this.#attempts);
    this.#attempt = { event, turn, startedAt: performance.now(), isSent: false };
    const isOwn = (name: string) =>
      reservedHeaders.has(name) || Object.hasOwn(apiRequest.headers, name);
    for (const name of [...headers.keys()]) {
      if (!isOwn(name)) headers.delete(name); // a hook added it to the attempt before
    }
    headers.set("authorization", `Bearer ${this.#key}`);
    let isOpen = true;
    const addHeader = (name: string, value: string) => {
      if (!isOpen) throw new TypeError("The attempt is sent: add a header before the hook awaits.");
      if (!isHeader(name, value)) throw new TypeError("The header cannot be sent.");
      if (!isOwn(name.toLowerCase())) headers.set(name, value);
    };
    observers.notify("onRequest", (hooks) => hooks.onRequest?.({ ...event, addHeader }));
    isOpen = false;
  }

  /**
   * What the pacer calls when this call has to wait for the rate limit. It notifies the hooks, and returns an error if the
   * call has no time for the wait. The hooks run in the async context of this call, which a promise keeps on every platform.
   */
  #whenPaced(): PacedCall["onWait"] {
    const { operation, totalTimeoutMs } = this.#task;
    let tell: (waitMs: number, why: string) => void = () => {};
    const told = new Promise<[waitMs: number, why: string]>((resolve) => {
      tell = (...wait) => resolve(wait);
    });
    void told.then(([waitMs, why]) =>
      this.#tellOfWait({ reason: "pacing", waitMs, error: null }, why),
    );
    return (waitMs, { limit, name }) => {
      const which = limit === null ? "rate limit" : `limit of ${limit} ${name} per minute`;
      const isUnknown = waitMs === Number.POSITIVE_INFINITY;
      this.#waitsFor = isUnknown
        ? "the response to another call, which reports the rate limit"
        : `room in the ${which}`;
      if (isUnknown) return null;
      const why = `${titleOf(operation)}: the ${which} is used up.`;
      if (waitMs >= this.#remainingMs - minRemainingMs) {
        const retryAfterMs = Math.ceil(waitMs);
        const next = `The next window begins in ${retryAfterMs} ms, too late for totalTimeoutMs (${totalTimeoutMs}).`;
        const info = { ...this.#info(this.#error), code: "rate_limited", retryAfterMs };
        return new RateLimitError(`${why} ${next}`, info);
      }
      // A refused call was told of its wait when it was refused.
      if (!this.#waitsInLine) tell(waitMs, why);
      return null;
    };
  }

  /** After each response: the call has succeeded, or is repeated, or has failed. */
  async #read(response: Response) {
    const { credentials, redactor } = this.#transport;
    const reading = readResponse(response, await response.text(), this.#reader);
    const requestId = requestIdOf(response, redactor);
    if (!(reading instanceof QueueApiError)) {
      this.#endAttempt(null, response);
      const replayed = isReplay(response) && !this.#mayHaveActed;
      const attempts = this.#attempts;
      this.#success = { envelope: reading, response, requestId, attempts, replayed };
      return undefined;
    }
    this.#fail(reading, response);
    // The attempt whose response was lost may have canceled the entry.
    const isCanceled = reading instanceof ApiError && reading.code === "invalid_state";
    const wasLost = this.#task.settlement !== null && this.#mayHaveActed;
    if (wasLost && isCanceled && this.#hasRetries) return this.#settle(true);
    const isRefused = response.status === 401;
    const renewed = isRefused && (await credentials.renewKey(this.#key, this.#signal));
    this.#plan(reading, renewed);
    return ky.retry();
  }

  /** After an attempt without a response: whether it is repeated. Throws the error of the call otherwise. */
  #triesAgain(thrown: Error): boolean {
    if (!this.#attempt || this.#signal.aborted) return false; // ky throws what was thrown
    const error = this.#errorOf(thrown);
    this.#fail(error);
    if (error.retryReason === null) return false; // a bug of the `fetch`
    this.#plan(error);
    return true;
  }

  /** The error of an attempt without a response. */
  #errorOf(thrown: Error): QueueApiError {
    if (thrown instanceof ConnectionError) return thrown;
    const title = titleOf(this.#current.operation);
    const info = this.#info();
    if (thrown instanceof KyTimeoutError) {
      const { timeoutMs } = this.#task;
      const message = `${title}: no complete response arrived within ${timeoutMs} ms (timeoutMs).`;
      return new TimeoutError(message, { ...info, clock: "attempt", retryReason: "timeout" });
    }
    return new QueueApiError(`${title}: fetch threw an error that is not a network error.`, info);
  }

  /**
   * Plans the retry after an error, and tells of its wait. The wait is never shorter than the service requests. If the
   * call has no time for the wait, it ends at once. A request that must not be sent twice is retried only if the
   * service reports that it had no effect.
   *
   * @throws The error, if there is no retry.
   */
  #plan(error: QueueApiError, hasOtherKey = false): void {
    const reason = hasOtherKey ? "key_changed" : error.retryReason;
    const isHarmful = !this.#task.repeatable && mayHaveActed(error);
    const requestedMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
    const backoffMs = backoff(this.#attempts, Math.random());
    const waitMs = hasOtherKey ? 0 : Math.max(backoffMs, requestedMs);
    const hasTime = waitMs < this.#remainingMs;
    if (reason === null || isHarmful || !this.#hasRetries || !hasTime) throw error;
    this.#retry = { reason, waitMs };
    this.#tellOfWait({ reason, waitMs, error }, error.message);
  }

  /**
   * Reads what became of a cancellation whose response was lost. Returns that response, or undefined if the task must be
   * sent again.
   *
   * @param isLast - Whether the task is not sent again.
   */
  async #settle(isLast: boolean): Promise<Response | undefined> {
    const { settlement } = this.#task;
    const error = this.#error as QueueApiError; // an error leads here
    const isLost = isLast || mayHaveActed(error);
    if (!settlement || !isLost || this.#current === settlement) return undefined;
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

  #fail(error: QueueApiError, response?: Response): void {
    this.#error = error;
    this.#mayHaveActed ||= this.#isWrite && mayHaveActed(error);
    this.#isRunning ||= error instanceof RequestInProgressError;
    Object.assign(error, { outcome: this.#outcome });
    this.#endAttempt(error, response);
  }

  #endAttempt(error: QueueApiError | null, response?: Response): void {
    if (!this.#attempt) return;
    const { turn, event, startedAt } = this.#attempt;
    const { pacer, observers, redactor } = this.#transport;
    this.#attempt = null;
    const isRefused = error instanceof RateLimitError && error.code === "rate_limited";
    const isCharged = !isRefused && error?.isUnsent !== true;
    if (turn) pacer?.end(turn, response ? rateReport(response, error) : null, isCharged);
    const ended: ResponseEvent = {
      ...event,
      status: response?.status ?? null,
      requestId: response ? requestIdOf(response, redactor) : null,
      durationMs: performance.now() - startedAt,
      error,
    };
    observers.notify("onResponse", (hooks) => hooks.onResponse?.(ended));
  }

  /** The error of a call that its caller or its time ended, and with it the attempt in progress. */
  #ended(): QueueApiError {
    this.#mayHaveActed ||= this.#attempt?.isSent === true && this.#isWrite;
    const { operation, totalTimeoutMs } = this.#task;
    const { reason } = this.#signal;
    const isLate = reason === late;
    const info = this.#info(isLate ? this.#error : reason);
    const what = isLate ? `not finished within ${totalTimeoutMs} ms (totalTimeoutMs)` : "aborted";
    const isUnsent = this.#attempts === 0 && this.#waitsFor !== null;
    const why = isUnsent ? ` It waited for ${this.#waitsFor}.` : "";
    const message = `${titleOf(operation)}: the call was ${what}.${why}`;
    const total = { ...info, clock: "total" } as const;
    const error = isLate ? new TimeoutError(message, total) : new AbortError(message, info);
    this.#endAttempt(error);
    return error;
  }

  /** The facts for the log at the end of the call. */
  get #end() {
    const durationMs = performance.now() - this.#startedAt;
    return { ...this.#task.call, callId: this.#id, attempts: this.#attempts, durationMs };
  }

  /** Whether the wait of a retry passes in the line of the pacer, and not in ky. */
  get #waitsInLine(): boolean {
    return this.#transport.pacer !== null && this.#retry?.reason === "rate_limited";
  }

  get #outcome(): QueueApiError["outcome"] {
    return this.#mayHaveActed || this.#isRunning ? "unknown" : "none";
  }

  get #isWrite(): boolean {
    return this.#current.operation.method !== "GET";
  }

  get #hasRetries(): boolean {
    return this.#attempts <= this.#task.maxRetries;
  }

  get #remainingMs(): number {
    return this.#startedAt + this.#task.totalTimeoutMs - performance.now();
  }

  #tellOfWait(wait: Pick<WaitEvent, "reason" | "waitMs" | "error">, why: string): void {
    this.#transport.observers.waits({ ...this.#event(this.#attempts + 1), ...wait }, why);
  }

  #event(attempt: number): AttemptEvent {
    const { name, method, path: route } = this.#current.operation;
    const url = this.#transport.redactor.text(this.#current.url);
    return { callId: this.#id, attempt, operation: name, method, url, route };
  }

  get #reader(): Reader {
    return { ...this.#current, info: this.#info(), redactor: this.#transport.redactor };
  }

  #info(cause?: unknown): ErrorInfo {
    const { call, repeatable: isRepeatable } = this.#task;
    return { ...call, isRepeatable, attempts: this.#attempts, outcome: this.#outcome, cause };
  }
}
