import type { Hooks, Logger } from "./hooks.js";

/** What every method takes. What is left out is taken from the client's options. */
export interface CallOptions {
  /** Ends the call at once when it is aborted, wherever the call is. */
  readonly signal?: AbortSignal | undefined;
  /** Time for one attempt, headers and body included, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Time for the whole call, all attempts and waits included, in milliseconds. Default: 60,000. */
  readonly totalTimeoutMs?: number | undefined;
  /** How often a failed request may be sent again. 0 means one request, whatever happens. Default: 3. */
  readonly maxRetries?: number | undefined;
  /** Further headers to send. Those that the client sets itself are refused. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What a creation takes beside. */
export interface CreateOptions extends CallOptions {
  /**
   * Creating again with the same key, within 24 hours, returns the first result: 8 to 64 letters, digits,
   * `_` or `-`. Default: a new UUID for each call, the same on all its attempts.
   */
  readonly idempotencyKey?: string | undefined;
}

/** How a client is set up. */
export interface QueueApiOptions
  extends Pick<CallOptions, "timeoutMs" | "totalTimeoutMs" | "maxRetries" | "headers"> {
  /** The API key, `svc_live_…`. Default: the environment variable `QUEUE_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** The service's address, without `/v1`. Default: the environment variable `QUEUE_API_BASE_URL`. */
  readonly baseUrl?: string | undefined;
  /** Whether calls wait for their turn when the rate limit is used up. Default: true. */
  readonly pacing?: boolean | undefined;
  /**
   * Sends the requests: it is given an address and an `init` with the signal of the attempt. Default: the
   * global `fetch`, as it stands when a request is sent.
   */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Told of each attempt. Several are told in order. */
  readonly hooks?: Hooks | readonly Hooks[] | undefined;
  /** Gets a line for each attempt (`debug`) and each retry (`warn`). Default: nobody does. */
  readonly logger?: Logger | undefined;
  /** Allows a browser, where anybody can read the key. Default: false. */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
}

/** What holds for a call when nothing else is said. */
export const defaults = { timeoutMs: 10_000, totalTimeoutMs: 60_000, maxRetries: 3 } as const;
