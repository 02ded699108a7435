import type { RouteName } from "./api-types.js";
import type { FaultName } from "./faults.js";

/** What was asked of the mocked service, and what came of it. */
export interface RecordedRequest {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  /** The route it takes; null for one that the API does not have. */
  readonly route: RouteName | null;
  readonly query: Readonly<Record<string, string>>;
  /** By name in small letters. The API key is among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON, the text where it is none, null without a body or with one over 32 KB. */
  readonly body: unknown;
  /** The service's time when it came. */
  readonly at: number;
  /** The fault it met. */
  readonly fault: FaultName | null;
  /** Status of the answer that was sent; null while there is none, and where a fault kept it back. */
  readonly status: number | null;
  /** `X-Request-Id` of the service's answer; null where the service gave none. */
  readonly requestId: string | null;
}
