import type { Hooks } from "./hooks.js";
import type { Logger, LogLevel } from "./logger.js";

/** The options of every method. They default to the client's options. */
export interface CallOptions {
  /** Aborts the call at once, at any stage. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout of one attempt, including headers and body, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Timeout of the whole call, including all attempts and waits, in milliseconds. Default: 60,000. */
  readonly totalTimeoutMs?: number | undefined;
  /** How often a failed request may be sent again. 0 disables retries. Default: 3. */
  readonly maxRetries?: number | undefined;
  /** Additional headers. Headers that the client sets itself are refused. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Additional query parameters, for those that are newer than this package. Sent without checks. */
  readonly extraQuery?: Query | undefined;
  /** Additional body fields, for fields that are newer than this package. Sent without checks. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
}

/** Query parameters. Undefined ones are omitted. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** Any text from which an idempotency key is derived, such as the id of a chat message. */
export interface KeySource {
  /** The key is the hexadecimal SHA-256 of this text in UTF-8: the same everywhere and in every release. */
  readonly from: string;
}

/** The additional options of a creation. */
export interface CreateOptions extends CallOptions {
  /**
   * 8 to 64 letters, digits, `_` or `-`, or `{ from }` with any text. Creating again with the same key within
   * 24 hours returns the first result. Default: a new UUID for each call, the same for all its attempts.
   */
  readonly idempotencyKey?: string | KeySource | undefined;
}

/** The options of {@link QueueApi.request}. */
export interface RequestOptions extends CallOptions {
  /** Query parameters. */
  readonly query?: Query | undefined;
  /** The body, which is sent as JSON. */
  readonly body?: unknown;
  /**
   * Sent as `Idempotency-Key`. Without one, a POST or PATCH is retried only if the service reports that the
   * request had no effect. Default: none.
   */
  readonly idempotencyKey?: string | KeySource | undefined;
}

/** The name and the version of a program; letters, digits, `-`, `.` and `_`. */
export interface AppInfo {
  readonly name: string;
  readonly version?: string | undefined;
}

/** The options of a client. */
export interface QueueApiOptions
  extends Pick<CallOptions, "timeoutMs" | "totalTimeoutMs" | "maxRetries" | "headers"> {
  /** The API key, `svc_live_…`. Default: the environment variable `QUEUE_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** The service's URL, without `/v1`. Default: the environment variable `QUEUE_API_BASE_URL`. */
  readonly baseUrl?: string | undefined;
  /** Whether calls wait when the rate limit is exhausted. Default: true. */
  readonly pacing?: boolean | undefined;
  /**
   * Sends the requests. Receives a URL and an `init` with the signal of the attempt. Default: the global
   * `fetch` at the time of the request.
   */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Callbacks for each attempt. Several are called in order. */
  readonly hooks?: Hooks | readonly Hooks[] | undefined;
  /**
   * Receives a line for each attempt (`debug`), each call (`info`), each retry (`warn`) and each call that
   * failed because of the service or the network (`error`). Default: `console` if a level is set, else none.
   */
  readonly logger?: Logger | undefined;
  /**
   * The log level: `off`, `error`, `warn`, `info` or `debug`. Default: the environment variable
   * `QUEUE_API_LOG`, else `debug` with a `logger`, and `off` without one.
   */
  readonly logLevel?: LogLevel | undefined;
  /** The program that uses this package, for the user agent. Default: none. */
  readonly appInfo?: AppInfo | undefined;
  /** Allows use in a browser, where anyone can read the key. Default: false. */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
}

/** The default options of a call. */
export const defaults = { timeoutMs: 10_000, totalTimeoutMs: 60_000, maxRetries: 3 } as const;
