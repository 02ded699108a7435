import ky, { TimeoutError as KyTimeoutError } from "ky";
import { type Envelope, readAnswer } from "../answer.js";
import {
  ApiError,
  ConflictError,
  ConnectionError,
  type FailureInfo,
  QueueApiError,
  TimeoutError,
} from "../errors.js";
import { isHeader } from "../headers.js";
import type { AttemptEvent, Observers } from "../hooks.js";
import type { Operation } from "../operation.js";
import { Deadline, type DeadlineOptions } from "./deadline.js";
import { networkProblem } from "./network-failure.js";
import type { Pacer, Turn, TurnEnd } from "./pacer.js";
import { rateReport } from "./rate-report.js";
import type { Redactor } from "./redact.js";
import { backoff, decideRetry, type Failure, mayHaveActed, type Retry } from "./retry.js";
import { AnswerCutShort, NoAnswer, wholeFetch } from "./whole-fetch.js";

/** What all calls of a client share. */
export interface Transport {
  /** Default: the global one, as it stands when a request is sent. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** What the path of a request is added to. */
  readonly origin: string;
  /** Null where pacing is switched off. */
  readonly pacer: Pacer | null;
  readonly observers: Observers;
  /** Hides the API key. */
  readonly redactor: Redactor;
}

/** One request of an operation. */
interface Step {
  readonly operation: Operation;
  /** What follows the origin: path and query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** What is sent as JSON; undefined for a request without a body. */
  readonly body?: unknown;
}

/** A read that tells whether a request whose answer was lost did its work. */
export interface Settlement extends Step {
  /** The answer that was lost, from what was read; null when the request did not do its work. */
  readonly settles: (read: Envelope) => Envelope | null;
}

/** What a call has to do. */
export interface Task extends Step, Omit<DeadlineOptions, "name"> {
  /** Time of one attempt, in milliseconds. */
  readonly timeoutMs: number;
  readonly maxRetries: number;
  /** The key that makes a creation safe to send again; null for anything else. */
  readonly idempotencyKey: string | null;
  /** For a request that cannot simply be sent again; null for one that can. */
  readonly settlement: Settlement | null;
  /** Whether sending the request twice does no harm. */
  readonly repeatable: boolean;
}

/** A success. */
export interface Success {
  readonly envelope: Envelope;
  readonly response: Response;
  readonly requestId: string | null;
}

/** An attempt that was no success. */
interface Failed {
  /** Null where the call has to end: its time is over, its caller gave it up, or `fetch` is broken. */
  readonly failure: Failure | null;
  readonly error: QueueApiError;
  /** Null when no answer came. */
  readonly response: Response | null;
  readonly requestId: string | null;
}

/** ky takes no longer ones. */
const longestTimeoutMs = 2 ** 31 - 1;

let lastCallId = 0;

/** Sends a task until it succeeds, fails for good, or runs out of attempts or time. */
export async function send(transport: Transport, task: Task): Promise<Success> {
  const { observers } = transport;
  const { id } = task.operation;
  const call = new Call(transport, task);
  try {
    const success = await call.run();
    observers.succeeded(id, call.attempts);
    return success;
  } catch (error) {
    if (error instanceof QueueApiError) {
      // The stack led through ky alone; from here it leads back to the caller.
      Error.captureStackTrace?.(error);
    }
    observers.failed(id, call.attempts, error);
    throw error;
  }
}

/**
 * One call. ky makes its attempts, each under ky's clock, and waits between them; what it asks on the way
 * (with which headers, whether to try again and when) is answered here, by the functions of `retry.ts`.
 */
class Call {
  readonly #transport: Transport;
  readonly #task: Task;
  readonly #deadline: Deadline;
  readonly #id = ++lastCallId;
  #attempts = 0;
  /** The attempt that is under way; null between attempts. */
  #running: { readonly startedAt: number; readonly turn: Turn | null } | null = null;
  /** How the last attempt failed; null when it did not. */
  #failed: Failed | null = null;
  /** What is done about it. */
  #retry: Retry | null = null;
  /** The failure that the call recovers from at the moment. */
  #recovering: QueueApiError | undefined;
  /** Headers that hooks added to the last attempt. */
  readonly #added: string[] = [];
  /** Whether an answer was lost to a request that is settled by a read. */
  #lost = false;

  constructor(transport: Transport, task: Task) {
    this.#transport = transport;
    this.#task = task;
    this.#deadline = new Deadline({ ...task, name: task.operation.name }, () =>
      this.#info(this.#recovering),
    );
  }

  /** Requests that were sent. */
  get attempts(): number {
    return this.#attempts;
  }

  run(): Promise<Success> {
    return this.#deadline.run(() => this.#send(this.#task));
  }

  /** Lets ky send a step until it succeeds or fails for good. */
  async #send(step: Step): Promise<Success> {
    const { timeoutMs } = this.#task;
    let success: Success | null = null;
    try {
      await ky(this.#transport.origin + step.path, {
        method: step.operation.method,
        headers: step.headers,
        ...(step.body !== undefined && { json: step.body }),
        signal: this.#deadline.signal,
        timeout: timeoutMs > longestTimeoutMs ? false : timeoutMs,
        throwHttpErrors: false,
        fetch: async (request) => {
          success = await this.#attempt(step, request as Request);
          return success.response;
        },
        retry: {
          limit: Number.POSITIVE_INFINITY, // decideRetry counts
          methods: ["get", "post", "put", "patch", "delete"],
          shouldRetry: ({ error }) => this.#triesAgain(step, error),
          delay: () => this.#retry?.waitMs ?? 0,
        },
        hooks: {
          beforeRequest: [({ headers }) => this.#begin(step, headers)],
          beforeRetry: [
            async () => {
              success = step === this.#task ? await this.#settled() : null;
              return success ? new Response() : undefined; // any answer ends ky's work
            },
          ],
        },
      });
    } catch (error) {
      throw error instanceof KyTimeoutError ? this.#failed?.error : error;
    }
    return success as unknown as Success; // ky gave an answer
  }

  /** Waits for leave to send an attempt, and adds the headers that hooks ask for. */
  async #begin(step: Step, headers: Headers): Promise<void> {
    const { pacer, observers } = this.#transport;
    const { signal } = this.#deadline;
    const write = step.operation.method !== "GET";
    signal.throwIfAborted();
    const turn = pacer && (pacer.take(write) ?? (await pacer.wait(write, signal)));
    this.#attempts += 1;
    this.#running = { startedAt: performance.now(), turn };
    if (observers.none) return;
    for (const name of this.#added.splice(0)) headers.delete(name); // ky keeps what an attempt adds
    const own = new Set(headers.keys());
    const addHeader = (name: string, value: string) => {
      if (!isHeader(name, value)) throw new TypeError("The header cannot be sent.");
      if (own.has(name.toLowerCase())) return;
      headers.set(name, value);
      this.#added.push(name);
    };
    observers.tell("onRequest", { ...this.#event(step), addHeader });
  }

  async #attempt(step: Step, request: Request): Promise<Success> {
    const { fetch = globalThis.fetch, redactor } = this.#transport;
    const { operation } = step;
    try {
      const answer = await wholeFetch(fetch, request);
      const { response } = answer;
      const reading = readAnswer(answer, { operation, redactor, info: this.#info() });
      const requestId = response.headers.get("x-request-id");
      const outcome = { ...reading, response, requestId: requestId && redactor.text(requestId) };
      if ("envelope" in outcome && step === this.#task) this.#deadline.release();
      this.#end(step, outcome);
      if ("envelope" in outcome) return outcome;
    } catch (thrown) {
      this.#end(step, this.#unanswered(thrown, request.signal.aborted));
      if (!isOfNetwork(thrown) && !request.signal.aborted) throw thrown;
    }
    throw this.#failed?.error;
  }

  /** Takes in how the attempt that is under way ended. */
  #end(step: Step, outcome: Success | Failed): void {
    if (!this.#running) return; // its clock was faster
    const { startedAt, turn } = this.#running;
    const { pacer, observers } = this.#transport;
    this.#running = null;
    this.#failed = "error" in outcome ? outcome : null;
    if (turn) pacer?.end(turn, turnEnd(outcome));
    if (observers.none) return;
    observers.tell("onResponse", {
      ...this.#event(step),
      status: outcome.response?.status ?? null,
      requestId: outcome.requestId,
      durationMs: performance.now() - startedAt,
      error: this.#failed?.error ?? null,
    });
  }

  #unanswered(thrown: unknown, stopped: boolean): Failed {
    const none = { response: null, requestId: null };
    const { name } = this.#task.operation;
    const { error } = this.#deadline;
    if (stopped) return error ? { failure: null, error, ...none } : this.#timedOut();
    if (isOfNetwork(thrown)) {
      const { origin, redactor } = this.#transport;
      const { body = null } = this.#task;
      const cause = redactor.and(body === null ? "" : JSON.stringify(body)).cause(thrown.cause);
      const kind = thrown instanceof NoAnswer ? "connection" : "truncated";
      const message = `${name}: ${networkProblem(kind, origin, cause)}`;
      return { failure: { kind }, error: new ConnectionError(message, this.#info(cause)), ...none };
    }
    const message = `${name}: fetch threw what is no failure of the network.`;
    return { failure: null, error: new QueueApiError(message, this.#info()), ...none };
  }

  #timedOut(): Failed {
    const { operation, timeoutMs } = this.#task;
    const message = `${operation.name}: no complete answer came within ${timeoutMs} ms (timeoutMs).`;
    const error = new TimeoutError(message, { ...this.#info(), clock: "attempt" });
    return { failure: { kind: "timeout" }, error, response: null, requestId: null };
  }

  /** Decides what is done about an attempt that failed. */
  #triesAgain(step: Step, error: Error): boolean {
    if (error instanceof KyTimeoutError) this.#end(step, this.#timedOut());
    this.#retry = null;
    const failed = this.#failed;
    if (!failed?.failure) return false;
    if (this.#lost && isInvalidState(failed.error)) return !this.#outOfAttempts; // to be settled
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
      observers.tell("onRetry", { ...this.#event(step), ...retry, error: failed.error });
    }
    this.#recovering = failed.error;
    this.#retry = retry;
    return true;
  }

  /**
   * Reads what became of the task where its answer was lost, or where it was refused and the attempt before
   * may be why. Null when it has to be sent again.
   */
  async #settled(): Promise<Success | null> {
    const { settlement } = this.#task;
    const failed = this.#failed;
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

  #event({ operation, path }: Step): AttemptEvent {
    return {
      callId: this.#id,
      attempt: this.#attempts,
      operation: operation.id,
      method: operation.method,
      url: this.#transport.redactor.text(this.#transport.origin + path),
      route: operation.path,
    };
  }

  #info(cause?: unknown): FailureInfo {
    const { operation, idempotencyKey } = this.#task;
    const { id, method, path } = operation;
    return { attempts: this.#attempts, idempotencyKey, operation: id, method, path, cause };
  }

  /** An error of an earlier attempt, with the count of all that were made. */
  #final(error: QueueApiError): QueueApiError {
    return Object.assign(error, { attempts: this.#attempts });
  }
}

function isOfNetwork(thrown: unknown): thrown is NoAnswer | AnswerCutShort {
  return thrown instanceof NoAnswer || thrown instanceof AnswerCutShort;
}

function isInvalidState(error: QueueApiError): boolean {
  return error instanceof ConflictError && error.code === "invalid_state";
}

/** Answers to a request without a good key tell of the address's failed sign-ins, not of the key. */
function turnEnd(outcome: Success | Failed): TurnEnd {
  const { response } = outcome;
  const keyless =
    response?.status === 401 ||
    ("error" in outcome &&
      outcome.error instanceof ApiError &&
      outcome.error.code === "too_many_failed_attempts");
  if (!response || keyless) return "unknown";
  return rateReport(response.headers) ?? ("envelope" in outcome ? "unlimited" : "unknown");
}
