import { type Envelope, readAnswer } from "../answer.js";
import {
  ApiError,
  ConflictError,
  ConnectionError,
  type FailureInfo,
  type QueueApiError,
  TimeoutError,
} from "../errors.js";
import { isHeader } from "../headers.js";
import type { AttemptEvent, Observers } from "../hooks.js";
import { backoff } from "./backoff.js";
import { connectionProblem } from "./connection-problem.js";
import { Deadline } from "./deadline.js";
import { decideRetry, type Failure, mayHaveActed, type RetryReason } from "./decide-retry.js";
import type { Environment } from "./environment.js";
import {
  AnswerCutShort,
  type Exchange,
  type HttpAnswer,
  type HttpRequest,
  NoAnswer,
} from "./exchange.js";
import type { Pacer, TurnEnd } from "./pacer.js";
import { rateReport } from "./rate-report.js";
import { redacted } from "./redact.js";
import type { Step, Task } from "./task.js";

/** What all calls of a client share. */
export interface Transport {
  readonly environment: Environment;
  readonly exchange: Exchange;
  /** What the path of a request is added to. */
  readonly origin: string;
  /** Null where pacing is switched off. */
  readonly pacer: Pacer | null;
  readonly observers: Observers;
  /** What no error may show. */
  readonly apiKey: string;
}

/** A success. */
export interface Success {
  readonly envelope: Envelope;
  readonly answer: HttpAnswer;
}

/** An attempt that was no success. */
interface Failed {
  /** Null where the call has to end: its time is over, or its caller gave it up. */
  readonly failure: Failure | null;
  readonly error: QueueApiError;
  /** Null when no answer came. */
  readonly answer: HttpAnswer | null;
}

type Outcome = Success | Failed;

let lastCallId = 0;

/** Sends a task until it succeeds, fails for good, or runs out of attempts or time. */
export function send(transport: Transport, task: Task): Promise<Success> {
  return new Call(transport, task).run();
}

class Call {
  readonly #transport: Transport;
  readonly #task: Task;
  readonly #deadline: Deadline;
  readonly #id = ++lastCallId;
  #attempts = 0;
  /** The failure that the call recovers from at the moment. */
  #recovering: QueueApiError | undefined;

  constructor(transport: Transport, task: Task) {
    this.#transport = transport;
    this.#task = task;
    this.#deadline = new Deadline(transport.environment, task, () => this.#info(this.#recovering));
  }

  async run(): Promise<Success> {
    let lost: Failed | null = null;
    for (;;) {
      const outcome = await this.#attempt(this.#task);
      if ("envelope" in outcome) return outcome;
      if (lost && isInvalidState(outcome.error)) return this.#settle(outcome);
      const reason = await this.#waitToRetry(this.#task, outcome);
      if (this.#task.settlement && mayHaveActed(reason)) {
        lost = outcome;
        const settled = await this.#settled(lost);
        if (settled) return settled;
        if (this.#outOfAttempts) throw this.#final(lost.error);
      }
    }
  }

  /** A refusal that the request itself may have caused: the attempt before it, whose answer was lost. */
  async #settle(refused: Failed): Promise<Success> {
    const settled = this.#outOfAttempts ? null : await this.#settled(refused);
    if (settled) return settled;
    throw this.#final(refused.error);
  }

  /** Reads what became of a request whose answer was lost. Null when it did not do its work. */
  async #settled(lost: Failed): Promise<Success | null> {
    const { settlement } = this.#task;
    if (!settlement) return null;
    for (;;) {
      const outcome = await this.#attempt(settlement);
      if ("envelope" in outcome) {
        const envelope = settlement.settles(outcome.envelope);
        return envelope && { envelope, answer: outcome.answer };
      }
      await this.#waitToRetry(settlement, outcome, lost.error);
    }
  }

  /** Waits until another attempt is due. Throws when there is to be none. */
  async #waitToRetry(step: Step, failed: Failed, instead = failed.error): Promise<RetryReason> {
    const { environment, observers } = this.#transport;
    const { failure, error } = failed;
    if (!failure) throw error;
    const decision = decideRetry(failure, {
      attempts: this.#attempts,
      maxRetries: this.#task.maxRetries,
      backoffMs: backoff(this.#attempts, environment.random()),
      retryAfterMs: error instanceof ApiError ? error.retryAfterMs : null,
      remainingMs: this.#deadline.remainingMs,
    });
    if (!decision) throw this.#final(instead);
    if (!observers.none) observers.tell("onRetry", { ...this.#event(step), ...decision, error });
    this.#recovering = error;
    await this.#deadline.sleep(decision.waitMs);
    return decision.reason;
  }

  get #outOfAttempts(): boolean {
    return this.#attempts > this.#task.maxRetries;
  }

  async #attempt(step: Step): Promise<Outcome> {
    const { pacer, observers, environment } = this.#transport;
    const write = step.request.method !== "GET";
    this.#deadline.check();
    const turn =
      pacer &&
      (pacer.take(write) ?? (await this.#deadline.wait((onStop) => pacer.wait(write, onStop))));
    this.#attempts += 1;
    const startedAt = environment.now();
    const request = observers.none ? step.request : this.#announce(step);
    const outcome = await this.#exchange(step, request);
    if (turn) pacer.end(turn, turnEnd(outcome));
    if (!observers.none) {
      observers.tell("onResponse", {
        ...this.#event(step),
        status: outcome.answer?.status ?? null,
        requestId: outcome.answer?.header("x-request-id") ?? null,
        durationMs: environment.now() - startedAt,
        error: "error" in outcome ? outcome.error : null,
      });
    }
    return outcome;
  }

  /** Tells of a request before it is sent, and adds the headers that were asked for. */
  #announce(step: Step): HttpRequest {
    const headers: Record<string, string> = { ...step.request.headers };
    const own = new Set(Object.keys(headers));
    const addHeader = (name: string, value: string) => {
      if (!isHeader(name, value)) throw new TypeError("The header cannot be sent.");
      if (!own.has(name.toLowerCase())) headers[name.toLowerCase()] = value;
    };
    this.#transport.observers.tell("onRequest", { ...this.#event(step), addHeader });
    return { ...step.request, headers };
  }

  async #exchange({ operation }: Step, request: HttpRequest): Promise<Outcome> {
    const { exchange, environment } = this.#transport;
    try {
      const answer = await this.#deadline.attempt((onStop) => exchange(request, onStop));
      const reading = readAnswer(operation, answer, environment.now(), this.#info());
      return { ...reading, answer };
    } catch (error) {
      return { ...this.#unanswered(error), answer: null };
    }
  }

  #unanswered(error: unknown): Omit<Failed, "answer"> {
    if (error instanceof NoAnswer || error instanceof AnswerCutShort) {
      const kind = error instanceof NoAnswer ? "connection" : "truncated";
      const secrets = [this.#transport.apiKey, this.#task.request.body ?? ""].filter(Boolean);
      const info = this.#info(redacted(error.cause, secrets));
      return { failure: { kind }, error: new ConnectionError(connectionProblem(error), info) };
    }
    const ended = error as QueueApiError; // the deadline throws nothing else
    const attemptOver = ended instanceof TimeoutError && ended.clock === "attempt";
    return { failure: attemptOver ? { kind: "timeout" } : null, error: ended };
  }

  #event({ operation, request }: Step): AttemptEvent {
    return {
      callId: this.#id,
      attempt: this.#attempts,
      operation: operation.id,
      method: request.method,
      url: this.#transport.origin + request.path,
      route: operation.path,
    };
  }

  #info(cause?: unknown): FailureInfo {
    return { attempts: this.#attempts, idempotencyKey: this.#task.idempotencyKey, cause };
  }

  /** An error of an earlier attempt, with the count of all that were made. */
  #final(error: QueueApiError): QueueApiError {
    return Object.assign(error, { attempts: this.#attempts });
  }
}

function isInvalidState(error: QueueApiError): boolean {
  return error instanceof ConflictError && error.code === "invalid_state";
}

/** Answers to a request without a good key tell of the address's failed sign-ins, not of the key. */
function turnEnd(outcome: Outcome): TurnEnd {
  const { answer } = outcome;
  const keyless =
    answer?.status === 401 ||
    ("error" in outcome &&
      outcome.error instanceof ApiError &&
      outcome.error.code === "too_many_failed_attempts");
  if (!answer || keyless) return "unknown";
  return rateReport(answer) ?? ("envelope" in outcome ? "unlimited" : "unknown");
}
