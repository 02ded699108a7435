import type { RouteName } from "./answers.js";
import type { FaultName } from "./faults.js";

/** A request to the mocked service and its outcome. */
export interface RecordedRequest {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  /** The route of the request; null if the API has no such route. */
  readonly route: RouteName | null;
  /** By name; of a repeated parameter, which the service refuses, the last value. */
  readonly query: Readonly<Record<string, string>>;
  /** By lower-case name. They include the API key. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON, or the text if it is not JSON; null without a body. */
  readonly body: unknown;
  /** The service's time when the request arrived. */
  readonly at: number;
  /** The fault that applied to the request; `down` if the mock was down; null if the service responded as usual. */
  readonly fault: FaultName | "down" | null;
  /** Status of the sent response; null while there is none, and if a fault withheld it. */
  readonly status: number | null;
  /** `X-Request-Id` of the service's response; null if there is none. */
  readonly requestId: string | null;
}
