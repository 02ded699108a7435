import { readAnswer } from "../answer.js";
import { ApiError, ConnectionError, type FailureInfo, QueueApiError } from "../errors.js";
import { isHeader } from "../headers.js";
import type { AttemptEvent } from "../hooks.js";
import { titleOf } from "../operation.js";
import { networkProblem } from "./network-failure.js";
import type { Turn } from "./pacer.js";
import { type RateReport, rateReport } from "./rate-window.js";
import type { Failure } from "./retry.js";
import type { Step, Success, Transport } from "./task.js";
import { AnswerCutShort, NoAnswer, wholeFetch } from "./whole-fetch.js";

/** A failed attempt. */
export interface Failed {
  /** Null if the call must end: its timeout expired, its caller aborted it, or `fetch` has a bug. */
  readonly failure: Failure | null;
  readonly error: QueueApiError;
  /** Null without an answer. */
  readonly response: Response | null;
  readonly requestId: string | null;
}

/** The facts about the call that an attempt needs. */
export interface AttemptFacts {
  /** The API key. */
  readonly key: string;
  /** Permission to send the request; null without pacing. */
  readonly turn: Turn | null;
  /** The event for observers; null if there are none. */
  readonly event: AttemptEvent | null;
  /** The facts for errors. */
  readonly info: FailureInfo;
}

/** One request, from sending until its answer is read or the attempt is stopped. */
export class Attempt {
  readonly step: Step;
  readonly #transport: Transport;
  readonly #facts: AttemptFacts;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #controller = new AbortController();
  readonly #startedAt = performance.now();
  #outcome: Success | Failed | null = null;
  #giveUp: (error: QueueApiError) => void = () => {};

  constructor(transport: Transport, step: Step, facts: AttemptFacts) {
    this.#transport = transport;
    this.step = step;
    this.#facts = facts;
    this.#headers = this.#withAdded();
  }

  /** The success of the attempt; null if it failed or is in progress. */
  get success(): Success | null {
    return this.#outcome && "envelope" in this.#outcome ? this.#outcome : null;
  }

  /** The failure of the attempt; null if it succeeded or is in progress. */
  get failed(): Failed | null {
    return this.#outcome && "error" in this.#outcome ? this.#outcome : null;
  }

  /** Sends the request. Rejects with the error of the outcome, or with the error of a faulty `fetch`. */
  send(): Promise<Success> {
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      this.#exchange().then(resolve, reject);
    });
  }

  /** Ends the attempt from outside, even if `fetch` ignores its signal. */
  stop(failed: Failed): void {
    if (this.#outcome) return;
    this.#end(failed);
    this.#controller.abort(failed.error);
    this.#giveUp(failed.error);
  }

  /** Drops the answer. */
  forget(): void {
    this.#outcome = null;
  }

  async #exchange(): Promise<Success> {
    const { fetch = globalThis.fetch, fetchOptions, redactor } = this.#transport;
    const { operation, url, body } = this.step;
    try {
      const answer = await wholeFetch(fetch, url, {
        method: operation.method,
        headers: this.#headers,
        body,
        signal: this.#controller.signal,
        fetchOptions,
      });
      const { response } = answer;
      const id = response.headers.get("x-request-id");
      const reading = readAnswer(answer, { operation, redactor, body, info: this.#facts.info });
      this.#end({ ...reading, response, requestId: id && redactor.text(id) });
    } catch (thrown) {
      this.#end(this.#unanswered(thrown));
      if (!isOfNetwork(thrown)) throw thrown;
    }
    if (this.success) return this.success;
    throw this.failed?.error;
  }

  /** The headers of the step and the headers that hooks add. */
  #withAdded(): Record<string, string> {
    const headers: Record<string, string> = {
      ...this.step.headers, // a copy, since a fetch may change it
      authorization: `Bearer ${this.#facts.key}`,
    };
    if (!this.#facts.event) return headers;
    const taken = new Set(Object.keys(headers));
    const addHeader = (name: string, value: string) => {
      if (!isHeader(name, value)) throw new TypeError("The header cannot be sent.");
      if (!taken.has(name.toLowerCase())) headers[name.toLowerCase()] = value;
    };
    this.#transport.observers.notify("onRequest", { ...this.#facts.event, addHeader });
    return headers;
  }

  /** Records the outcome, but only the first: the attempt may already have been stopped from outside. */
  #end(outcome: Success | Failed): void {
    if (this.#outcome) return;
    this.#outcome = outcome;
    const { pacer, observers } = this.#transport;
    if (this.#facts.turn) pacer?.end(this.#facts.turn, turnEnd(outcome));
    if (!this.#facts.event) return;
    observers.notify("onResponse", {
      ...this.#facts.event,
      status: outcome.response?.status ?? null,
      requestId: outcome.requestId,
      durationMs: performance.now() - this.#startedAt,
      error: "error" in outcome ? outcome.error : null,
    });
  }

  #unanswered(thrown: unknown): Failed {
    const { operation, url, body } = this.step;
    if (!isOfNetwork(thrown)) {
      const message = `${titleOf(operation)}: fetch threw what is no failure of the network.`;
      return unanswered(null, new QueueApiError(message, this.#facts.info));
    }
    const cause = this.#transport.redactor.andBody(body).cause(thrown.cause);
    const kind = thrown instanceof NoAnswer ? "connection" : "truncated";
    const message = `${titleOf(operation)}: ${networkProblem(kind, url, cause)}`;
    return unanswered({ kind }, new ConnectionError(message, { ...this.#facts.info, cause }));
  }
}

/** The outcome of an attempt without an answer. */
export function unanswered(failure: Failure | null, error: QueueApiError): Failed {
  return { failure, error, response: null, requestId: null };
}

function isOfNetwork(thrown: unknown): thrown is NoAnswer | AnswerCutShort {
  return thrown instanceof NoAnswer || thrown instanceof AnswerCutShort;
}

/** Answers to a request without a valid key report the limit of failed authentications, not of the key. */
function turnEnd(outcome: Success | Failed): RateReport | "unlimited" | null {
  const { response } = outcome;
  const keyless =
    response?.status === 401 ||
    ("error" in outcome &&
      outcome.error instanceof ApiError &&
      outcome.error.code === "too_many_failed_attempts");
  if (!response || keyless) return null;
  return rateReport(response.headers) ?? ("envelope" in outcome ? "unlimited" : null);
}
