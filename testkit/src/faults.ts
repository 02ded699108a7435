import type { ErrorCode, RouteName } from "./api-types.js";
import type { Duration } from "./duration.js";

/** Every fault by its name, with its options. */
export interface FaultOptions {
  /** The connection is reset before the service has seen the request: nothing happened. */
  "reset-before": object;
  /** The service acts on the request, and the connection is reset before the answer comes. */
  "reset-after-commit": object;
  /**
   * Another answer in place of the service's; the service does not act. With `status` (default 503) an answer
   * without JSON, as from a proxy; with `code` the service's own refusal, complete with its headers.
   */
  status: {
    readonly status?: number;
    readonly code?: ErrorCode;
    readonly retryAfterSeconds?: number;
  };
  /** The service acts, and its answer comes this much later. */
  slow: { readonly by: Duration };
  /** The service acts, and its answer ends after these bytes of its body. Default: half of them. */
  truncated: { readonly bytes?: number };
  /** A page of HTML with this status (default 502), as from a proxy. The service does not act. */
  html: { readonly status?: number };
  /** The service's refusal `rate_limited` with this `Retry-After`. Default 30. */
  "rate-limited": { readonly retryAfterSeconds?: number };
  /** The service's refusal `request_in_progress` with this `Retry-After`. Default 1. */
  "in-progress": { readonly retryAfterSeconds?: number };
}

export type FaultName = keyof FaultOptions;

type WithTimes<Options> = Options & {
  /** How many requests meet the fault. Default 1. */
  readonly times?: number;
};

/** The options of a fault; they may be left out unless one of them is required. */
export type FaultArguments<Name extends FaultName> = object extends FaultOptions[Name]
  ? [options?: WithTimes<FaultOptions[Name]>]
  : [options: WithTimes<FaultOptions[Name]>];

/** The faults that the next requests meet. */
export interface Faults {
  /**
   * Makes the next request of a route fail; `"*"` is any route. Several faults of one route come in the order
   * of the calls. Throws RangeError for an unknown route, fault or option, and for a value out of range.
   */
  next<Name extends FaultName>(
    route: RouteName | "*",
    name: Name,
    ...options: FaultArguments<Name>
  ): void;
  /** How many faults no request has met yet. */
  readonly pending: number;
  /** Removes the faults that no request has met yet. */
  clear(): void;
}
