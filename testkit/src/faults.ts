import { errorCodes, errorHeaders, routeNames, scopesOf } from "@queue-api/contract";
import { ApiError } from "../../server/src/in-process.js";
import type { RouteName } from "./answers.js";
import type { ErrorCode } from "./api.js";
import * as option from "./check-options.js";
import { type Duration, milliseconds } from "./clock.js";
import { Plan } from "./plan.js";
import { connectionFailure, proxyResponse, truncated } from "./responses.js";
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

/** A fault that a test planned: what it makes of a request, or the service's refusal of what it would accept. @internal */
export interface Fault {
  readonly name: FaultName | "down";
  /** Sends the request or not. `wait` ends early at a reset. Default: sends it. */
  readonly respond?: (send: () => Promise<Response>, wait: Wait) => Response | Promise<Response>;
  readonly refusal?: (route: RouteName | null) => ApiError;
}

type Wait = (milliseconds: number) => Promise<void>;

/** The fault of every request while the mock is down. @internal */
export const down: Fault = { name: "down", respond: () => fail("ECONNREFUSED") };

/** The unused faults of a test. @internal */
export class PlannedFaults extends Plan<Fault> implements Faults {
  next<Name extends FaultName>(
    route: RouteName | "*",
    name: Name,
    ...[given]: FaultArguments<Name>
  ): void {
    option.checkValue("route", route, option.oneOf(["*", ...routeNames]));
    option.checkValue("fault", name, option.oneOf(Object.keys(kinds)));
    const options: AnyOptions = given ?? {};
    const [checks, make] = kinds[name];
    option.checkOptions(options, { times: option.wholeNumber(1), ...checks });
    this.add(route, { name, ...make(options) }, options.times);
  }
}

type AnyOptions = { readonly times?: number | undefined } & FaultOptions["status"] &
  Partial<FaultOptions["slow"]> &
  FaultOptions["truncated"];

type Make = (options: AnyOptions) => Omit<Fault, "name">;

const status = option.wholeNumber(200, 599); // a Response accepts no other status
const retryAfterSeconds = option.wholeNumber(0);
const checksOfStatus = { status, code: option.oneOf(errorCodes), retryAfterSeconds };

/** The options of each fault, and what it does with them. */
const kinds: { readonly [Name in FaultName]: [option.Checks<FaultOptions[Name]>, Make] } = {
  "reset-before": [{}, () => ({ respond: () => fail("ECONNRESET") })],
  "reset-after-commit": [{}, () => ({ respond: (send) => send().then(() => fail("ECONNRESET")) })],
  status: [checksOfStatus, statusFault],
  slow: [{ by: option.anything }, slow],
  truncated: [
    { bytes: option.wholeNumber(0) },
    ({ bytes }) => ({ respond: async (send) => truncated(await send(), bytes) }),
  ],
  html: [{ status }, ({ status = 502 }) => ({ respond: () => proxyResponse(status, "text/html") })],
  "rate-limited": [
    { retryAfterSeconds },
    ({ retryAfterSeconds = 30 }) => refusal("rate_limited", retryAfterSeconds),
  ],
  "in-progress": [
    { retryAfterSeconds },
    (options) => refusal("request_in_progress", options.retryAfterSeconds),
  ],
};

function fail(code: "ECONNREFUSED" | "ECONNRESET"): never {
  throw connectionFailure(code);
}

function statusFault({ code, status, retryAfterSeconds }: AnyOptions) {
  if (!code)
    return { respond: () => proxyResponse(status ?? 503, "text/plain", retryAfterSeconds) };
  if (status !== undefined) throw new RangeError("a code has its own status: leave out status");
  return refusal(code, retryAfterSeconds);
}

/** The longest time of a timer in Node, about. */
const longest = "24.8d";

function slow({ by }: AnyOptions): Omit<Fault, "name"> {
  if (by === undefined) throw new RangeError('by is required, as in { by: "30s" }');
  const delay = milliseconds(by);
  if (delay > milliseconds(longest)) throw new RangeError(`by must be at most ${longest}`);
  return {
    respond: async (send, wait) => {
      const response = await send();
      await wait(delay);
      return response;
    },
  };
}

/** The error of the service. `asked`: its `Retry-After`, if it has one; 1 if it always has one. */
function refusal(code: Known<ErrorCode>, asked: number | undefined) {
  const header = errorHeaders[code]?.["Retry-After"];
  if (!header && asked !== undefined) throw new RangeError(`${code} has no Retry-After`);
  const retryAfterSeconds = header && !header.optional ? (asked ?? 1) : asked;
  return {
    refusal: (route: RouteName | null) =>
      new ApiError(code, {
        ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
        ...(code === "insufficient_scope" && { required: scopesOf(route) }),
        ...(code === "invalid_request" && {
          details: [{ field: "request", message: "was refused by a fault of the test" }],
        }),
      }),
  };
}
