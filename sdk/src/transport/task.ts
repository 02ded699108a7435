import type { Envelope } from "../answer.js";
import type { Observers } from "../hooks.js";
import type { Operation } from "../operation.js";
import type { Pacer } from "./pacer.js";
import type { Redactor } from "./redact.js";

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
export interface Step {
  readonly operation: Operation;
  /** What follows the origin: path and query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, the same on every attempt; undefined for a request without a body. */
  readonly body?: string | undefined;
}

/** A read that tells whether a request whose answer was lost did its work. */
export interface Settlement extends Step {
  /** The answer that was lost, from what was read; null when the request did not do its work. */
  readonly settles: (read: Envelope) => Envelope | null;
}

/** What a call has to do. */
export interface Task extends Step {
  /** Time of one attempt, in milliseconds. */
  readonly timeoutMs: number;
  /** Time of the whole call, in milliseconds. */
  readonly totalTimeoutMs: number;
  readonly maxRetries: number;
  /** Any of them ends the call. */
  readonly signals: readonly AbortSignal[];
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
