import { errorCodes, errorHeaders, routeNames, scopesOf } from "@queue-api/contract";
import { ApiError } from "../../server/src/in-process.js";
import type { RouteName } from "./answers.js";
import type { ErrorCode } from "./api.js";
import * as option from "./check-options.js";
import { milliseconds } from "./clock.js";
import type { FaultArguments, FaultName, FaultOptions, Faults } from "./faults.js";
import { Plan } from "./plan.js";
import { proxyResponse } from "./responses.js";
import type { Known } from "./seed.js";

/** A fault that a test planned, by what it does beside resetting the connection. */
export interface Fault {
  readonly name: FaultName | "down";
  /** Responds in the place of the service. */
  readonly response?: (url: string) => Response;
  /** The service's refusal of what it would accept. */
  readonly refusal?: (route: RouteName | null) => ApiError;
  /** The delay of the response, in milliseconds. */
  readonly delay?: number;
  /** Where a body of this length ends. */
  readonly cutAt?: (length: number) => number;
}

/** The unused faults of a test. */
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
  "reset-before": [{}, () => ({})],
  "reset-after-commit": [{}, () => ({})],
  status: [checksOfStatus, statusFault],
  slow: [{ by: option.anything }, ({ by }) => ({ delay: delayOf(by) })],
  truncated: [
    { bytes: option.wholeNumber(0) },
    ({ bytes }) => ({ cutAt: (length) => bytes ?? Math.floor(length / 2) }),
  ],
  html: [{ status }, ({ status = 502 }) => ({ response: proxyResponse(status, "text/html") })],
  "rate-limited": [
    { retryAfterSeconds },
    ({ retryAfterSeconds = 30 }) => ({ refusal: refusal("rate_limited", retryAfterSeconds) }),
  ],
  "in-progress": [
    { retryAfterSeconds },
    (options) => ({ refusal: refusal("request_in_progress", options.retryAfterSeconds) }),
  ],
};

function statusFault({ code, status, retryAfterSeconds }: AnyOptions) {
  if (!code) return { response: proxyResponse(status ?? 503, "text/plain", retryAfterSeconds) };
  if (status !== undefined) throw new RangeError("a code has its own status: leave out status");
  return { refusal: refusal(code, retryAfterSeconds) };
}

/** The longest time of a timer in Node, about. */
const longest = "24.8d";

function delayOf(by: FaultOptions["slow"]["by"] | undefined): number {
  if (by === undefined) throw new RangeError('by is required, as in { by: "30s" }');
  const delay = milliseconds(by);
  if (delay > milliseconds(longest)) throw new RangeError(`by must be at most ${longest}`);
  return delay;
}

/** The error of the service. `asked`: its `Retry-After`, if it has one; 1 if it always has one. */
function refusal(code: Known<ErrorCode>, asked: number | undefined) {
  const header = errorHeaders[code]?.["Retry-After"];
  if (!header && asked !== undefined) throw new RangeError(`${code} has no Retry-After`);
  const retryAfterSeconds = header && !header.optional ? (asked ?? 1) : asked;
  return (route: RouteName | null) =>
    new ApiError(code, {
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      ...(code === "insufficient_scope" && { required: scopesOf(route) }),
      ...(code === "invalid_request" && {
        details: [{ field: "request", message: "was refused by a fault of the test" }],
      }),
    });
}
