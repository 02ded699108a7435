import type { QueueApiError } from "./errors.js";
import type { Hooks } from "./hooks.js";

/** The options of every method. They default to the client's options. */
export interface CallOptions {
  /** Aborts the call at once, at any stage. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout of one attempt, including headers and body, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * Timeout of the whole call, including all attempts and waits, in milliseconds. Default: 75,000, so that a
   * call can wait for the next window of the rate limit, which begins after at most 60,000.
   */
  readonly totalTimeoutMs?: number | undefined;
  /** How often a failed request may be sent again. 0 disables retries. Default: 3. */
  readonly maxRetries?: number | undefined;
  /** Additional headers. Headers that the client sets itself are refused. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
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
  /** Query parameters: texts, numbers and booleans. The second type accepts an interface, which has no index signature. */
  readonly query?: Query | (object & { readonly [Symbol.iterator]?: never }) | undefined;
  /** The body, which is sent as JSON. */
  readonly body?: unknown;
  /**
   * Sent as `Idempotency-Key`. Without one, a POST or PATCH is retried only if the service reports that the
   * request had no effect. Default: none.
   */
  readonly idempotencyKey?: string | KeySource | undefined;
}

/** The part of a `fetch` that the client uses: the global one and undici's have it. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** What all `Response` types have: of a browser, Node, undici and Bun. The client needs a real `Response`. */
export interface FetchResponse
  extends Pick<Response, "ok" | "status" | "statusText" | "type" | "url" | "redirected">,
    Pick<Response, "bodyUsed" | "arrayBuffer" | "text" | "json"> {
  readonly headers: Pick<Headers, "get" | "has">;
  readonly body: { cancel(): Promise<void> } | null;
  clone(): Pick<Response, "arrayBuffer">;
}

/** What a {@link Fetch} receives, with the client's `fetchOptions`. */
export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
  readonly redirect: "manual";
}

/** A log level. It includes the lines of the levels before it. */
export type LogLevel = "off" | "error" | "warn" | "info" | "debug";

type LogFields = Readonly<Record<string, unknown>>;

/**
 * The destination of log lines: `console`, a winston logger, or a pino logger, which gets the fields first.
 * Lines of a level without a method are dropped.
 */
export interface Logger {
  /** A line for each attempt. */
  debug(message: string, fields: LogFields): void;
  /** A line for each call that succeeded, was refused or was aborted. */
  info?(message: string, fields: LogFields): void;
  /** A line for each wait, and for a hook that failed. */
  warn(message: string, fields: LogFields): void;
  /** A line for each call that failed because of the service, the network, or the key. */
  error?(message: string, fields: LogFields): void;
}

/** The name and the version of a program; letters, digits, `-`, `.`, `_` and `+`. */
export interface AppInfo {
  readonly name: string;
  readonly version?: string | undefined;
}

/** The options of a client. */
export interface QueueApiOptions
  extends Pick<CallOptions, "timeoutMs" | "totalTimeoutMs" | "maxRetries" | "headers"> {
  /**
   * The API key, `svc_live_…`, or a function that returns it, such as a read of a secret store. The function is
   * called at the first request, and again after the key was refused (401): with another key, the request is
   * sent again. Default: the environment variable `QUEUE_API_KEY`, read at the first call.
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /**
   * The service's URL, without `/v1`. Default: the environment variable `QUEUE_API_BASE_URL`, read at the first
   * call.
   */
  readonly baseUrl?: string | undefined;
  /** Whether calls wait when the rate limit is exhausted. Default: true. */
  readonly pacing?: boolean | undefined;
  /**
   * Sends the requests. Receives a URL and an `init` with the signal of the attempt. Default: the global
   * `fetch` at the time of the request.
   */
  readonly fetch?: Fetch | undefined;
  /**
   * Options of `fetch` for each request, such as the `dispatcher` of a proxy, or `next: { revalidate: 3600 }` for
   * data that may be old. The client sets `cache: "no-store"` unless `cache` or `next` is given here. Default:
   * none.
   */
  readonly fetchOptions?: Readonly<Record<string, unknown>> | undefined;
  /** Callbacks for each attempt and each wait. Several are called in order. */
  readonly hooks?: Hooks | readonly Hooks[] | undefined;
  /**
   * Receives a line for each attempt (`debug`), each call (`info`), each wait (`warn`) and each call that failed because
   * of the service, the network or the key (`error`). Accepts a pino or winston logger. Default: `console` if a level
   * is set, else none.
   */
  readonly logger?: Logger | undefined;
  /**
   * The log level: `off`, `error`, `warn`, `info` or `debug`. Default: the environment variable
   * `QUEUE_API_LOG`, else `debug` with a `logger`, and `off` without one.
   */
  readonly logLevel?: LogLevel | undefined;
  /** The program that uses this package, for the user agent. Default: none. */
  readonly appInfo?: AppInfo | undefined;
}

/** The options of polling. */
export interface WatchOptions {
  /** Time between two polls of one page, in milliseconds. With several pages, times their number. Default: 5,000. */
  readonly intervalMs?: number | undefined;
  /** The longest time between two polls of one page, reached while nothing changes, in milliseconds. Default: 30,000. */
  readonly maxIntervalMs?: number | undefined;
  /** Called for a failed poll that will be repeated. An error that it throws or rejects with ends the watch. */
  readonly onPollError?: ((error: QueueApiError) => void) | undefined;
}
