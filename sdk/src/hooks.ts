import {
  ConnectionError,
  type QueueApiError,
  ServerError,
  TimeoutError,
  UnexpectedResponseError,
} from "./errors.js";
import type { Operations } from "./generated/types.js";
import { type Logger, logging } from "./logger.js";
import type { HttpMethod } from "./operation.js";
import type { RetryReason } from "./transport/retry.js";

/** One attempt of a call. Contains neither the key nor any part of a body. */
export interface AttemptEvent {
  /** The same for all attempts of one call, and different for each call of the process. */
  readonly callId: number;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Name of the operation, such as `getEntry`; `request` for one that this package does not know. */
  readonly operation: keyof Operations | "request";
  readonly method: HttpMethod;
  readonly url: string;
  /** The path with `:name` for each parameter: low cardinality, so it can be a metric label. */
  readonly route: string;
}

/** An attempt is about to be sent. */
export interface RequestEvent extends AttemptEvent {
  /** Adds a header to this attempt, such as `traceparent`. Throws `TypeError` if the header is invalid. */
  readonly addHeader: (name: string, value: string) => void;
}

/** An attempt has ended, with or without an answer. */
export interface ResponseEvent extends AttemptEvent {
  /** The HTTP status; null without an answer. */
  readonly status: number | null;
  readonly requestId: string | null;
  /** From sending to the end of the body, in milliseconds. */
  readonly durationMs: number;
  /** The error of the attempt; null if it succeeded. */
  readonly error: QueueApiError | null;
}

/** An attempt has failed, and another follows. */
export interface RetryEvent extends AttemptEvent {
  readonly reason: RetryReason;
  /** How long the call waits before the next attempt, in milliseconds. */
  readonly waitMs: number;
  readonly error: QueueApiError;
}

/** Callbacks for each attempt. Hooks only observe: an error in a hook is logged and has no other effect. */
export interface Hooks {
  readonly onRequest?: (event: RequestEvent) => void;
  /** Once for each `onRequest`. */
  readonly onResponse?: (event: ResponseEvent) => void;
  readonly onRetry?: (event: RetryEvent) => void;
}

/** Notifies all observers, and logs the errors of observers. */
export class Observers {
  readonly #hooks: readonly Hooks[];
  readonly #logger: Logger | null;

  constructor(hooks: readonly Hooks[], logger: Logger | null) {
    this.#hooks = logger ? [...hooks, logging(logger)] : hooks;
    this.#logger = logger;
  }

  /** Whether there are no observers, so that events need not be created. */
  get none(): boolean {
    return this.#hooks.length === 0;
  }

  /** Logs a successful call. Hooks have already received its attempts. */
  succeeded(operation: string, attempts: number): void {
    this.#logger?.info?.(`queue-api: ${operation} succeeded`, { operation, attempts });
  }

  /** Logs a failed call. The thrown value may come from a custom `fetch`, and be anything. */
  failed(operation: string, attempts: number, thrown: unknown): void {
    const logger = this.#logger;
    if (!logger) return;
    const fields = { operation, attempts, error: kindOf(thrown) };
    if (isOfService(thrown)) logger.error?.(`queue-api: ${thrown.message}`, fields);
    else logger.info?.(`queue-api: ${operation} failed`, fields);
  }

  notify<Name extends keyof Hooks>(
    name: Name,
    event: Parameters<NonNullable<Hooks[Name]>>[0],
  ): void {
    for (const hooks of this.#hooks) {
      try {
        (hooks[name] as ((event: unknown) => void) | undefined)?.(event);
      } catch (error) {
        this.#logger?.warn(`queue-api: the hook ${name} failed`, {
          error: kindOf(error),
        });
      }
    }
  }
}

/** Whether the service or the network caused a failure, rather than the request. */
function isOfService(thrown: unknown): thrown is QueueApiError {
  return (
    thrown instanceof ConnectionError ||
    thrown instanceof TimeoutError ||
    thrown instanceof ServerError ||
    thrown instanceof UnexpectedResponseError
  );
}

/** The name of a thrown value in a log line. Never its message, which may contain anything. */
function kindOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : typeof thrown;
}
