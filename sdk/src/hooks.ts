import type { QueueApiError, RetryReason } from "./errors.js";
import type { HttpMethod, OperationName } from "./operation.js";

/** One attempt of a call. Contains neither the key nor any part of a body. */
export interface AttemptEvent {
  /**
   * The same for all attempts of one call, and different for each call of this copy of the package. A program that
   * both imports and requires the package has two.
   */
  readonly callId: number;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** The called method, such as `entries.get`. */
  readonly operation: OperationName;
  readonly method: HttpMethod;
  readonly url: string;
  /**
   * The path with `:name` for each parameter: low cardinality, so it can be a metric label. With `request`, the path as it
   * was given, which can have an id.
   */
  readonly route: string;
}

/** An attempt is about to be sent. */
export interface RequestEvent extends AttemptEvent {
  /**
   * Adds a header to this attempt, such as `traceparent`. Throws `TypeError` if the header is invalid, and after the hook
   * has returned or awaited, because the attempt is sent then.
   */
  readonly addHeader: (name: string, value: string) => void;
}

/** An attempt has ended, with or without a response. */
export interface ResponseEvent extends AttemptEvent {
  /** The HTTP status; null without a response. */
  readonly status: number | null;
  readonly requestId: string | null;
  /** From sending to the end of the body, in milliseconds. */
  readonly durationMs: number;
  /** The error of the attempt; null if it succeeded. */
  readonly error: QueueApiError | null;
}

/** A call waits before `attempt`: for room in the rate limit, or because the attempt before it failed. */
export interface WaitEvent extends AttemptEvent {
  /** `pacing`, or why the attempt before failed. */
  readonly reason: "pacing" | RetryReason;
  /** How long the call waits, in milliseconds. */
  readonly waitMs: number;
  /** The error of the attempt before; null with `pacing`. */
  readonly error: QueueApiError | null;
}

/** Callbacks for each attempt. Hooks only observe: an error in a hook is logged and has no other effect. */
export interface Hooks {
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
  /** Once for each `onRequest`. */
  readonly onResponse?: ((event: ResponseEvent) => void) | undefined;
  /** Before each retry, and when a call has to wait for the rate limit. */
  readonly onWait?: ((event: WaitEvent) => void) | undefined;
}
