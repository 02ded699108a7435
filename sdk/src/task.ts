import type { Credentials } from "./credentials.js";
import type { ErrorInfo } from "./errors.js";
import type { Pacer } from "./http/pacer.js";
import type { Observers } from "./observers.js";
import type { CallFacts, Envelope, Operation } from "./operation.js";
import type { QueueApiOptions } from "./options.js";
import type { Redactor } from "./redact.js";

/** What all calls of a client share. */
export interface Transport {
  readonly options: QueueApiOptions;
  readonly credentials: Credentials;
  /** Null if pacing is off. */
  readonly pacer: Pacer | null;
  readonly observers: Observers;
  readonly redactor: Redactor;
}

export interface ApiRequest {
  readonly operation: Operation;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, the same on every attempt; undefined for a request without a body. */
  readonly body?: string | undefined;
}

/** What reading a response, or an error without one, needs of its request. */
export interface Reader extends Omit<ApiRequest, "headers"> {
  /** What is known of the call so far. */
  readonly info: ErrorInfo;
  readonly redactor: Redactor;
}

/** A read that shows whether a request with a lost response took effect. */
export interface Settlement extends ApiRequest {
  /** Rebuilds the lost response from the read; null if the request had no effect. */
  readonly settles: (read: Envelope) => Envelope | null;
}

export interface Task extends ApiRequest {
  readonly call: CallFacts;
  readonly timeoutMs: number;
  readonly totalTimeoutMs: number;
  readonly maxRetries: number;
  /** Any of them ends the call. */
  readonly signals: readonly AbortSignal[];
  /** For a cancellation; null for any other request. */
  readonly settlement: Settlement | null;
  /** Whether sending the request twice does no harm. */
  readonly repeatable: boolean;
}
