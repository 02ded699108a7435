import { type ErrorCode, errorCodes, errorHeaders } from "@queue-api/contract";
import { type RouteName, routeNames, scopesOf } from "../http/route-name.js";
import { Refusal } from "../rules/refusal.js";
import { type Checks, checkOptions, oneOf, wholeNumber } from "./check-options.js";
import { type Duration, milliseconds } from "./duration.js";

/** Every fault by its name, with what can be said of it. */
export interface FaultOptions {
  /** The connection is reset before the service has seen the request: nothing happened. */
  "reset-before": object;
  /** The service acts on the request, and the connection is reset before the answer comes. */
  "reset-after-commit": object;
  /**
   * Another answer in place of the service's, which does not act. With `status` (default 503) one without
   * JSON, as a proxy gives it; with `code` the service's own refusal, complete with its headers.
   */
  status: {
    readonly status?: number;
    readonly code?: ErrorCode;
    readonly retryAfterSeconds?: number;
  };
  /** The service acts, and its answer comes this much later. Default `"30s"`. */
  slow: { readonly by?: Duration };
  /** The service acts, and its answer ends after these bytes of its body. Default: half of them. */
  truncated: { readonly bytes?: number };
  /** A page of HTML with this status (default 502), as a proxy gives it. The service does not act. */
  html: { readonly status?: number };
  /** The service's refusal `rate_limited`, to be tried again after so long. Default 30 s. */
  "rate-limited": { readonly retryAfterSeconds?: number };
  /** The service's refusal `request_in_progress`, to be tried again after so long. Default 1 s. */
  "in-progress": { readonly retryAfterSeconds?: number };
}

export type FaultName = keyof FaultOptions;

/** A fault with all that is said of it. */
export type Fault =
  | { readonly name: "reset-before" | "reset-after-commit" }
  | { readonly name: "status" | "html"; readonly status: number }
  | { readonly name: "slow"; readonly milliseconds: number }
  | { readonly name: "truncated"; readonly bytes: number | null }
  | {
      readonly name: "status" | "rate-limited" | "in-progress";
      readonly refusal: (route: RouteName | null) => Refusal;
    };

interface Planned {
  readonly route: RouteName | "*";
  readonly fault: Fault;
  left: number;
}

/** The faults that the next requests meet. */
export class Faults {
  #planned: Planned[] = [];

  /**
   * Makes the next request of a route fail; `"*"` is any route. `times` says how many of them, default 1.
   * Faults of one route come in the order in which they were asked for. Throws RangeError for a route, a fault
   * or an option that there is not, and for a value that cannot be meant.
   */
  next<Name extends FaultName>(
    route: RouteName | "*",
    name: Name,
    options?: FaultOptions[Name] & { readonly times?: number },
  ): void {
    if (route !== "*" && !routeNames.includes(route)) {
      throw new RangeError(`no such route; the routes are * and ${routeNames.join(", ")}`);
    }
    if (!Object.hasOwn(checksOf, name)) {
      const names = Object.keys(checksOf).join(", ");
      throw new RangeError(`no such fault: ${String(name)}; the faults are ${names}`);
    }
    const said: AnyOptions = options ?? {};
    checkOptions(said, { times: wholeNumber(1), ...checksOf[name] });
    this.#planned.push({ route, fault: faultOf(name, said), left: said.times ?? 1 });
  }

  /** How many faults no request has met yet. */
  get pending(): number {
    return this.#planned.reduce((sum, { left }) => sum + left, 0);
  }

  /** Forgets the faults that no request has met yet. */
  clear(): void {
    this.#planned = [];
  }

  /**
   * The fault that this request meets, if any; it is used up.
   * @internal
   */
  take(route: RouteName | null): Fault | null {
    const met = this.#planned.find((planned) => planned.route === "*" || planned.route === route);
    if (!met) return null;
    met.left--;
    if (met.left <= 0) this.#planned = this.#planned.filter((planned) => planned !== met);
    return met.fault;
  }
}

type AnyOptions = { readonly times?: number } & FaultOptions["status"] &
  FaultOptions["slow"] &
  FaultOptions["truncated"];

const seconds = wholeNumber(0);
const status = wholeNumber(200, 599); // a Response takes no other

const checksOf: { readonly [Name in FaultName]: Checks<FaultOptions[Name]> } = {
  "reset-before": {},
  "reset-after-commit": {},
  status: { status, code: oneOf(errorCodes), retryAfterSeconds: seconds },
  slow: { by: delayProblem },
  truncated: { bytes: wholeNumber(0) },
  html: { status },
  "rate-limited": { retryAfterSeconds: seconds },
  "in-progress": { retryAfterSeconds: seconds },
};

function delayProblem(value: unknown): string | null {
  return milliseconds(value as Duration) < 0 ? "must not be below 0" : null;
}

function faultOf(name: FaultName, options: AnyOptions): Fault {
  switch (name) {
    case "reset-before":
    case "reset-after-commit":
      return { name };
    case "status": {
      const { code, status = 503, retryAfterSeconds = 1 } = options;
      return code ? refusalFault(name, code, retryAfterSeconds) : { name, status };
    }
    case "html":
      return { name, status: options.status ?? 502 };
    case "slow":
      return { name, milliseconds: milliseconds(options.by ?? "30s") };
    case "truncated":
      return { name, bytes: options.bytes ?? null };
    case "rate-limited":
      return refusalFault(name, "rate_limited", options.retryAfterSeconds ?? 30);
    case "in-progress":
      return refusalFault(name, "request_in_progress", options.retryAfterSeconds ?? 1);
  }
}

type RefusalFault = Extract<Fault, { readonly refusal: unknown }>;

function refusalFault(
  name: RefusalFault["name"],
  code: ErrorCode,
  retryAfterSeconds: number,
): RefusalFault {
  const waits = errorHeaders[code] !== undefined && "Retry-After" in errorHeaders[code];
  return {
    name,
    refusal: (route) =>
      new Refusal(code, {
        ...(waits && { retryAfterSeconds }),
        ...(code === "insufficient_scope" && { required: scopesOf(route) }),
        ...(code === "invalid_request" && {
          details: [{ field: "request", message: "was refused by a fault of the test" }],
        }),
      }),
  };
}
