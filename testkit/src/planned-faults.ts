import { errorCodes, errorHeaders, routeNames, scopesOf } from "@queue-api/contract";
import { ApiError } from "../../server/src/in-process.js";
import type { RouteName } from "./answers.js";
import type { ErrorCode } from "./api.js";
import {
  anything,
  type Checks,
  checkOptions,
  checkValue,
  oneOf,
  wholeNumber,
} from "./check-options.js";
import { milliseconds } from "./clock.js";
import type { FaultArguments, FaultName, FaultOptions, Faults } from "./faults.js";
import { Plan } from "./plan.js";
import type { Known } from "./seed.js";

export interface ProxyFault {
  readonly name: "status" | "html";
  readonly status: number;
  readonly retryAfterSeconds?: number | undefined;
}

export type Fault =
  | { readonly name: "down" | "reset-before" | "reset-after-commit" }
  | ProxyFault
  | { readonly name: "slow"; readonly milliseconds: number }
  | { readonly name: "truncated"; readonly bytes: number | null }
  | {
      readonly name: "status" | "rate-limited" | "in-progress";
      readonly apiError: (route: RouteName | null) => ApiError;
    };

/** The unused faults of a test. */
export class PlannedFaults extends Plan<Fault> implements Faults {
  next<Name extends FaultName>(
    route: RouteName | "*",
    name: Name,
    ...[given]: FaultArguments<Name>
  ): void {
    checkValue("route", route, oneOf(["*", ...routeNames]));
    checkValue("fault", name, oneOf(Object.keys(checksOf)));
    const options: AnyOptions = given ?? {};
    checkOptions(options, { times: wholeNumber(1), ...checksOf[name] });
    this.add(route, faultOf(name, options), options.times);
  }
}

type AnyOptions = { readonly times?: number } & FaultOptions["status"] &
  Partial<FaultOptions["slow"]> &
  FaultOptions["truncated"];

const seconds = wholeNumber(0);
const status = wholeNumber(200, 599); // a Response accepts no other status

const checksOf: { readonly [Name in FaultName]: Checks<FaultOptions[Name]> } = {
  "reset-before": {},
  "reset-after-commit": {},
  status: { status, code: oneOf(errorCodes), retryAfterSeconds: seconds },
  slow: { by: anything },
  truncated: { bytes: wholeNumber(0) },
  html: { status },
  "rate-limited": { retryAfterSeconds: seconds },
  "in-progress": { retryAfterSeconds: seconds },
};

function faultOf(name: FaultName, options: AnyOptions): Fault {
  switch (name) {
    case "reset-before":
    case "reset-after-commit":
      return { name };
    case "status": {
      const { code, status, retryAfterSeconds } = options;
      if (!code) return { name, status: status ?? 503, retryAfterSeconds };
      if (status !== undefined) throw new RangeError("a code has its own status: leave out status");
      return { name, apiError: apiErrorOf(code, retryAfterSeconds) };
    }
    case "html":
      return { name, status: options.status ?? 502 };
    case "slow": {
      if (options.by === undefined) throw new RangeError('by is required, as in { by: "30s" }');
      const length = milliseconds(options.by);
      if (length > milliseconds(longest)) throw new RangeError(`by must be at most ${longest}`);
      return { name, milliseconds: length };
    }
    case "truncated":
      return { name, bytes: options.bytes ?? null };
    case "rate-limited":
      return { name, apiError: apiErrorOf("rate_limited", options.retryAfterSeconds ?? 30) };
    case "in-progress":
      return { name, apiError: apiErrorOf("request_in_progress", options.retryAfterSeconds) };
  }
}

/** The longest time of a timer in Node, about. */
const longest = "24.8d";

/** The error of the service. `asked`: its `Retry-After`, if it has one; 1 if it always has one. */
function apiErrorOf(code: Known<ErrorCode>, asked: number | undefined) {
  const header = errorHeaders[code]?.["Retry-After"];
  if (!header && asked !== undefined) throw new RangeError(`${code} has no Retry-After`);
  const retryAfterSeconds = header?.optional ? asked : (asked ?? 1);
  return (route: RouteName | null) =>
    new ApiError(code, {
      ...(header && retryAfterSeconds !== undefined && { retryAfterSeconds }),
      ...(code === "insufficient_scope" && { required: scopesOf(route) }),
      ...(code === "invalid_request" && {
        details: [{ field: "request", message: "was refused by a fault of the test" }],
      }),
    });
}
