import { readAnswer } from "../answer.js";
import { ApiError, ConnectionError, type FailureInfo, QueueApiError } from "../errors.js";
import { isHeader } from "../headers.js";
import type { AttemptEvent } from "../hooks.js";
import { networkProblem } from "./network-failure.js";
import type { Turn, TurnEnd } from "./pacer.js";
import { rateReport } from "./rate-report.js";
import type { Failure } from "./retry.js";
import type { Step, Success, Transport } from "./task.js";
import { AnswerCutShort, NoAnswer, wholeFetch } from "./whole-fetch.js";

/** An attempt that was no success. */
export interface Failed {
  /** Null where the call has to end: its time is over, its caller gave it up, or `fetch` is broken. */
  readonly failure: Failure | null;
  readonly error: QueueApiError;
  /** Null when no answer came. */
  readonly response: Response | null;
  readonly requestId: string | null;
}

/** What an attempt knows of its call. */
export interface AttemptFacts {
  /** Leave to send the request; null where nothing is paced. */
  readonly turn: Turn | null;
  /** What observers are told; null where nobody listens. */
  readonly event: AttemptEvent | null;
  /** What errors tell. */
  readonly info: FailureInfo;
}

/** One request, from the moment it is sent until its answer is read or something ends it. */
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

  /** How the attempt succeeded; null when it did not, or is under way. */
  get success(): Success | null {
    return this.#outcome && "envelope" in this.#outcome ? this.#outcome : null;
  }

  /** How the attempt failed; null when it did not, or is under way. */
  get failed(): Failed | null {
    return this.#outcome && "error" in this.#outcome ? this.#outcome : null;
  }

  /** Sends the request. Fails with the error of the outcome, or with what a broken `fetch` throws. */
  send(): Promise<Success> {
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      this.#exchange().then(resolve, reject);
    });
  }

  /** Ends the attempt from outside, whether or not `fetch` heeds its signal. */
  stop(failed: Failed): void {
    if (this.#outcome) return;
    this.#end(failed);
    this.#controller.abort(failed.error);
    this.#giveUp(failed.error);
  }

  async #exchange(): Promise<Success> {
    const { fetch = globalThis.fetch, origin, redactor } = this.#transport;
    const { operation, path, body } = this.step;
    try {
      const answer = await wholeFetch(fetch, origin + path, {
        method: operation.method,
        headers: this.#headers,
        ...(body !== undefined && { body }),
        signal: this.#controller.signal,
      });
      const { response } = answer;
      const requestId = response.headers.get("x-request-id");
      this.#end({
        ...readAnswer(answer, { operation, redactor, info: this.#facts.info }),
        response,
        requestId: requestId && redactor.text(requestId),
      });
    } catch (thrown) {
      this.#end(this.#unanswered(thrown));
      if (!isOfNetwork(thrown)) throw thrown;
    }
    if (this.success) return this.success;
    throw this.failed?.error;
  }

  /** The headers of the step and those that hooks add. */
  #withAdded(): Record<string, string> {
    const { headers: own, body } = this.step;
    const headers: Record<string, string> = { ...own };
    if (body !== undefined) headers["content-type"] = "application/json";
    if (!this.#facts.event) return headers;
    const taken = new Set(Object.keys(headers));
    const addHeader = (name: string, value: string) => {
      if (!isHeader(name, value)) throw new TypeError("The header cannot be sent.");
      if (!taken.has(name.toLowerCase())) headers[name.toLowerCase()] = value;
    };
    this.#transport.observers.tell("onRequest", { ...this.#facts.event, addHeader });
    return headers;
  }

  /** Takes in how the attempt ended: only once, for something from outside may have been faster. */
  #end(outcome: Success | Failed): void {
    if (this.#outcome) return;
    this.#outcome = outcome;
    const { pacer, observers } = this.#transport;
    if (this.#facts.turn) pacer?.end(this.#facts.turn, turnEnd(outcome));
    if (!this.#facts.event) return;
    observers.tell("onResponse", {
      ...this.#facts.event,
      status: outcome.response?.status ?? null,
      requestId: outcome.requestId,
      durationMs: performance.now() - this.#startedAt,
      error: "error" in outcome ? outcome.error : null,
    });
  }

  #unanswered(thrown: unknown): Failed {
    const { operation, body } = this.step;
    if (!isOfNetwork(thrown)) {
      const message = `${operation.name}: fetch threw what is no failure of the network.`;
      return unanswered(null, new QueueApiError(message, this.#facts.info));
    }
    const { origin, redactor } = this.#transport;
    const cause = redactor.and(body ?? "").cause(thrown.cause);
    const kind = thrown instanceof NoAnswer ? "connection" : "truncated";
    const message = `${operation.name}: ${networkProblem(kind, origin, cause)}`;
    return unanswered({ kind }, new ConnectionError(message, { ...this.#facts.info, cause }));
  }
}

/** The outcome of an attempt to which no answer came. */
export function unanswered(failure: Failure | null, error: QueueApiError): Failed {
  return { failure, error, response: null, requestId: null };
}

function isOfNetwork(thrown: unknown): thrown is NoAnswer | AnswerCutShort {
  return thrown instanceof NoAnswer || thrown instanceof AnswerCutShort;
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
