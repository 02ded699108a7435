import type { Answers, RouteName } from "./answers.js";
import type { Clock, Duration, Instant, MockClock } from "./clock.js";
import type { FaultName, Faults } from "./faults.js";
import type { OwnerSide } from "./owner-side.js";
import type { AnySeed, Ids, KnownFields, RefOf, SeedInput, SlugOf } from "./seed.js";

/** The options of the mock. All are optional. */
export interface MockOptions<Seed extends AnySeed = SeedInput> {
  /** The initial content, as in the file of `queue-api seed`. Default: `defaultSeed`. */
  readonly seed?: (Seed & KnownFields<Seed>) | undefined;
  /**
   * The time at which the service's clock is stopped; or `"system"`, to follow the clock of the system and the fake
   * timers of a test runner; or another clock to follow. Default: 21 November 2026, 04:30 UTC, which is 10:00 in India.
   */
  readonly clock?: Instant | Clock | undefined;
  /** The same seed and random seed give the same ids and keys in each run. Default `"queue-api"`. */
  readonly randomSeed?: string | undefined;
  /** The URL of the service. Default `https://queue.example`. */
  readonly baseUrl?: string | undefined;
}

/**
 * The real service inside this process: the same pipeline, rules and headers on a store in memory. It opens
 * no port, writes no file and leaves no timer behind. It serves only the API, not `/docs`.
 */
export interface QueueApiMock<Seed extends AnySeed = SeedInput> extends OwnerSide {
  readonly baseUrl: string;
  /** Sends a request to the mocked service, with the arguments and the errors of the global `fetch`. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  readonly clock: MockClock;
  /** The API key with a ref in the seed, or the first key. `slug` names its business if several match. */
  key(ref?: RefOf<Seed, "keys">, slug?: SlugOf<Seed>): string;
  /** The ids behind the refs of the seed. */
  readonly ids: Ids<Seed>;
  /** The faults for the next requests. */
  readonly faults: Faults;
  /**
   * Refuses every connection until the service's clock has moved by this time. Throws RangeError for an unknown option
   * or an invalid duration.
   *
   * @example
   * mock.down({ for: "60s" }); // no connection can be made
   * mock.clock.advance("60s"); // the service responds again
   */
  down(options: { readonly for: Duration }): void;
  /** The fixed answers for the next requests. */
  readonly answers: Answers;
  /** The requests since the start or the last reset, in order. */
  readonly requests: readonly RecordedRequest[];
  /**
   * Restores the initial state: the seed with the same ids and keys, the clock, no requests, and nothing planned for
   * the next ones. A request in progress is processed with what was there before, and a `slow` response comes at once. A
   * client of the SDK keeps what it knows of the rate limits: make it in `beforeEach`.
   */
  reset(): void;
  /** Ends the requests in progress, like a connection reset. Later requests fail. */
  close(): Promise<void>;
}

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
