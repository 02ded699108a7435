import type { RouteName } from "./answers.js";
import type { ErrorCode } from "./api.js";
import type { Duration } from "./clock.js";
import type { Known } from "./seed.js";

/** Every fault by its name, with its options. */
export interface FaultOptions {
  /** The connection is reset before the service receives the request, so the request has no effect. */
  "reset-before": object;
  /** The service processes the request, and the connection is reset before the response. */
  "reset-after-commit": object;
  /**
   * Another response instead of the service's; the service does not process the request. With `status` (default
   * 503), a response without JSON, as from a proxy. With `code` instead, the service's own error, with its headers, if the
   * service would accept the request; it responds to any other request as usual, which uses the fault up.
   */
  status: {
    readonly status?: number | undefined;
    readonly code?: Known<ErrorCode> | undefined;
    /** `Retry-After`, for a proxy or for a code that has it. */
    readonly retryAfterSeconds?: number | undefined;
  };
  /** The service processes the request, and its response is delayed by this time, at most 24.8 days. */
  slow: { readonly by: Duration };
  /** The service processes the request; its response ends after this many bytes of the body. Default: half. */
  truncated: { readonly bytes?: number | undefined };
  /** An HTML page with this status (default 502), as from a proxy. The request does not reach the service. */
  html: { readonly status?: number | undefined };
  /** The fault `status` with the code `rate_limited` and this `Retry-After`. Default 30. */
  "rate-limited": { readonly retryAfterSeconds?: number | undefined };
  /** The fault `status` with the code `request_in_progress` and this `Retry-After`. Default 1. */
  "in-progress": { readonly retryAfterSeconds?: number | undefined };
}

export type FaultName = keyof FaultOptions;

type WithTimes<Options> = Options & {
  /** How many requests the fault applies to. Default 1. */
  readonly times?: number | undefined;
};

/** The options of a fault. They may be omitted unless one of them is required. */
export type FaultArguments<Name extends FaultName> = object extends FaultOptions[Name]
  ? [options?: WithTimes<FaultOptions[Name]>]
  : [options: WithTimes<FaultOptions[Name]>];

/** The faults for the next requests. */
export interface Faults {
  /**
   * Makes the next request of a route fail; `"*"` is any route. Several faults of a route apply in the order
   * of the calls. Throws RangeError for an unknown route, fault or option, and for a value out of range.
   */
  next<Name extends FaultName>(
    route: RouteName | "*",
    name: Name,
    ...options: FaultArguments<Name>
  ): void;
  /** The number of unused faults. */
  readonly pending: number;
  /** Removes the unused faults. */
  clear(): void;
}
