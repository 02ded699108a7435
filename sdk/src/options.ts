import type { Hooks } from "./hooks.js";
import type { Logger, LogLevel } from "./logger.js";

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
  /** Further query parameters, for those that the API has added since. They are sent as they are. */
  readonly extraQuery?: Query | undefined;
  /** Further fields of the body, for those that the API has added since. They are sent as they are. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
}

/** Parameters of a query. One that is undefined is left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** Any text from which an idempotency key is made, such as the id of a chat message. */
export interface KeySource {
  /** The key is the SHA-256 of this text in UTF-8, in hexadecimal: the same everywhere and in every release. */
  readonly from: string;
}

/** What a creation takes beside. */
export interface CreateOptions extends CallOptions {
  /**
   * Creating again with the same key, within 24 hours, returns the first result: 8 to 64 letters, digits,
   * `_` or `-`, or `{ from }` any text. Default: a new UUID for each call, the same on all its attempts.
   */
  readonly idempotencyKey?: string | KeySource | undefined;
}

/** What {@link QueueApi.request} takes. */
export interface RequestOptions extends CallOptions {
  /** Parameters of the query. */
  readonly query?: Query | undefined;
  /** What is sent as JSON. */
  readonly body?: unknown;
  /**
   * Sent as `Idempotency-Key`. Without one, a POST or PATCH is sent again only where the service said that it
   * did nothing. Default: none.
   */
  readonly idempotencyKey?: string | KeySource | undefined;
}

/** The name and the version of a program; letters, digits, `-`, `.` and `_`. */
export interface AppInfo {
  readonly name: string;
  readonly version?: string | undefined;
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
  /**
   * Gets a line for each attempt (`debug`), each call (`info`), each retry (`warn`) and each call that failed
   * because of the service or the network (`error`). Default: `console` where a level is set, else none.
   */
  readonly logger?: Logger | undefined;
  /**
   * Which lines are written: `off`, `error`, `warn`, `info` or `debug`. Default: the environment variable
   * `QUEUE_API_LOG`, else `debug` where there is a `logger`, and `off` where there is none.
   */
  readonly logLevel?: LogLevel | undefined;
  /** The program that uses this package, to be named in the user agent. Default: none. */
  readonly appInfo?: AppInfo | undefined;
  /** Allows a browser, where anybody can read the key. Default: false. */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
}

/** What holds for a call when nothing else is said. */
export const defaults = { timeoutMs: 10_000, totalTimeoutMs: 60_000, maxRetries: 3 } as const;
