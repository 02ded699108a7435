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

/** One attempt of a call. Holds neither the key nor anything of a body. */
export interface AttemptEvent {
  /** The same for all attempts of one call, and different for each call of the process. */
  readonly callId: number;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Name of the operation, such as `getEntry`; `request` for one that this package does not know. */
  readonly operation: keyof Operations | "request";
  readonly method: HttpMethod;
  readonly url: string;
  /** The path with `:name` for each parameter: few values, so that it can be a label. */
  readonly route: string;
}

/** An attempt is about to be sent. */
export interface RequestEvent extends AttemptEvent {
  /** Adds a header to this attempt, such as `traceparent`. Throws `TypeError` when it is none that can be sent. */
  readonly addHeader: (name: string, value: string) => void;
}

/** An attempt has ended, with an answer or without. */
export interface ResponseEvent extends AttemptEvent {
  /** The HTTP status; null when no answer came. */
  readonly status: number | null;
  readonly requestId: string | null;
  /** From sending to the end of the body, in milliseconds. */
  readonly durationMs: number;
  /** How the attempt failed; null when it succeeded. */
  readonly error: QueueApiError | null;
}

/** An attempt failed, and another will follow. */
export interface RetryEvent extends AttemptEvent {
  readonly reason: RetryReason;
  /** How long the call waits before the next attempt, in milliseconds. */
  readonly waitMs: number;
  readonly error: QueueApiError;
}

/** What is told of each attempt. A hook observes: what it throws goes to the logger and changes nothing. */
export interface Hooks {
  readonly onRequest?: (event: RequestEvent) => void;
  /** Once for each `onRequest`. */
  readonly onResponse?: (event: ResponseEvent) => void;
  readonly onRetry?: (event: RetryEvent) => void;
}

/** Tells every observer, and the logger of observers that fail. */
export class Observers {
  readonly #hooks: readonly Hooks[];
  readonly #logger: Logger | null;

  constructor(hooks: readonly Hooks[], logger: Logger | null) {
    this.#hooks = logger ? [...hooks, logging(logger)] : hooks;
    this.#logger = logger;
  }

  /** Whether nobody listens, so that no event needs to be made. */
  get none(): boolean {
    return this.#hooks.length === 0;
  }

  /** Tells the logger of a call that succeeded; hooks have been told of its attempts. */
  succeeded(operation: string, attempts: number): void {
    this.#logger?.info?.(`queue-api: ${operation} succeeded`, { operation, attempts });
  }

  /** Tells the logger of a call that failed. What it throws may come from a `fetch`, and be anything. */
  failed(operation: string, attempts: number, thrown: unknown): void {
    const logger = this.#logger;
    if (!logger) return;
    const fields = { operation, attempts, error: kindOf(thrown) };
    if (isOfService(thrown)) logger.error?.(`queue-api: ${thrown.message}`, fields);
    else logger.info?.(`queue-api: ${operation} failed`, fields);
  }

  tell<Name extends keyof Hooks>(name: Name, event: Parameters<NonNullable<Hooks[Name]>>[0]): void {
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

/** Whether a failure is of the service or the network, and not an answer that a program can deal with. */
function isOfService(thrown: unknown): thrown is QueueApiError {
  return (
    thrown instanceof ConnectionError ||
    thrown instanceof TimeoutError ||
    thrown instanceof ServerError ||
    thrown instanceof UnexpectedResponseError
  );
}

/** What a line calls something that was thrown: never its message, which may hold anything. */
function kindOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : typeof thrown;
}
