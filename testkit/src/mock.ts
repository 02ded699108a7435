import { routeOf } from "@queue-api/contract";
import type { Store } from "../../server/src/in-process.js";
import { type Answers, PlannedAnswers, type RouteName } from "./answers.js";
import { anything, type Checks, checkOptions, ofType } from "./check-options.js";
import { type Clock, type Duration, type Instant, MockClock, milliseconds } from "./clock.js";
import { type DefaultSeed, defaultSeed } from "./default-seed.js";
import { down, type FaultName, type Faults, PlannedFaults } from "./faults.js";
import { sendInMemory, shownBody, wireRequest } from "./in-memory.js";
import { type Internals, mockedService, morning } from "./mocked-service.js";
import { type OwnerSide, ownerSide } from "./owner-side.js";
import { connectionFailure, withUrl } from "./responses.js";
import type { AnySeed, Ids, KnownFields, RefOf, SeedInput, SlugOf } from "./seed.js";
import { idsOf, keyOf } from "./seed-lookup.js";

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

type Recording = { -readonly [Name in keyof RecordedRequest]: RecordedRequest[Name] };

const mockOptions: Checks<MockOptions> = {
  seed: anything,
  clock: anything,
  randomSeed: ofType("string"),
  baseUrl: (value) =>
    /^https?:\/\//i.test(String(value)) && URL.canParse(String(value))
      ? null
      : "must be an address",
};

/**
 * Starts an independent mock. Throws {@link InvalidSeedError} if the seed is wrong, and RangeError for an unknown
 * option or a value out of range.
 */
export function mockQueueApi<const Seed extends AnySeed = DefaultSeed>(
  options?: MockOptions<Seed>,
): QueueApiMock<Seed>;
/** @internal For the tests of this project. */
export function mockQueueApi(
  options: MockOptions,
  internals: Internals,
): QueueApiMock & { readonly store: Store };
export function mockQueueApi(
  options: MockOptions = {},
  internals: Internals = {},
): QueueApiMock & { readonly store: Store } {
  checkOptions(options, mockOptions);
  const { seed = defaultSeed, clock: start = morning, randomSeed = "queue-api" } = options;
  const address = options.baseUrl ?? "https://queue.example";
  const { origin, pathname } = new URL(address);
  const baseUrl = origin + pathname.replace(/\/+$/, "").replace(/\/v1$/, ""); // like the SDK
  const clock = new MockClock(start);
  const now = () => clock.now();
  const faults = new PlannedFaults();
  const answers = new PlannedAnswers();
  const setup = { ...internals, clock: now, randomSeed, baseUrl, answers };
  let content: unknown = seed;
  /** What a reset replaces. `acts`: the end of the owner's acts so far; the next act and the requests wait for it. */
  const begin = () => {
    const service = mockedService({ ...setup, seed: content });
    content = service.content; // a test may change its object before a reset
    const acts: Promise<unknown> = service.ready;
    return { ...service, acts, requests: [] as Recording[], downUntil: Number.NEGATIVE_INFINITY };
  };
  let current = begin();
  const closing = new AbortController();

  return {
    baseUrl,
    clock,
    faults,
    answers,
    ids: idsOf(() => current.seeded),
    key: (ref, slug) => keyOf(current.seeded, ref, slug),
    ...ownerSide(() => current, now),

    async fetch(input, init) {
      const request = input instanceof Request && !init ? input : new Request(input, init);
      return respond(request, AbortSignal.any([request.signal, closing.signal]));
    },

    get requests() {
      return current.requests;
    },

    get store() {
      return current.store;
    },

    down(options) {
      checkOptions(options, { for: anything });
      if (options.for === undefined) throw new RangeError('for is required, as in { for: "60s" }');
      current.downUntil = now() + milliseconds(options.for);
    },

    reset() {
      clock.reset();
      faults.clear();
      answers.clear();
      current.over.abort();
      current = begin();
    },

    async close() {
      closing.abort(connectionFailure("ECONNRESET"));
      await current.endStop();
      await current.store.close();
    },
  };

  async function respond(request: Request, signal: AbortSignal): Promise<Response> {
    signal.throwIfAborted(); // nothing is sent
    const { server, over, acts, requests, downUntil } = current;
    const { url, method } = request;
    const location = new URL(url);
    const path = pathBelowBase(location);
    const route = routeOf(method, path);
    const fault = now() < downUntil ? down : faults.take(route);
    const recording: Recording = {
      method,
      path,
      route,
      query: Object.fromEntries(location.searchParams),
      headers: Object.fromEntries(request.headers),
      body: null,
      at: now(),
      fault: fault && !fault.refusal ? fault.name : null,
      status: null,
      requestId: null,
    };
    requests.push(recording);
    const body = Buffer.from(await request.arrayBuffer());
    recording.body = shownBody(body);
    await acts;
    signal.throwIfAborted();

    const refusal = () => {
      if (!fault?.refusal) return null;
      recording.fault = fault.name;
      return fault.refusal(route);
    };
    const send = async () => {
      const wire = wireRequest(request, location, path, body);
      const response = await sendInMemory(server, wire, body, { signal, refusal });
      response.headers.set("Date", new Date(now()).toUTCString());
      recording.requestId = response.headers.get("X-Request-Id");
      return response;
    };
    const wait = async (milliseconds: number) => {
      await pause(milliseconds, AbortSignal.any([signal, over.signal]));
      signal.throwIfAborted();
    };
    const response = await (fault?.respond?.(send, wait) ?? send());
    recording.status = response.status;
    return withUrl(url, response);
  }

  /** The path below the base URL. */
  function pathBelowBase({ origin, pathname }: URL): string {
    if (!`${origin}${pathname}/`.startsWith(`${baseUrl}/`))
      throw new TypeError(`fetch failed: this mock serves only ${baseUrl}`);
    return (origin + pathname).slice(baseUrl.length);
  }
}

/** Waits until the time is over or the signal is aborted, and leaves no timer behind. */
function pause(milliseconds: number, end: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (end.aborted) return resolve();
    const timer = setTimeout(resolve, milliseconds);
    end.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
