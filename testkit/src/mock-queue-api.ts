import { routeOf, type Store } from "../../server/src/testkit.js";
import { proxyResponse, responseOf } from "./answers.js";
import { anything, type Checks, checkOptions, ofType } from "./check-options.js";
import { connectionReset } from "./connection-error.js";
import { type DefaultSeed, defaultSeed } from "./default-seed.js";
import type { Faults } from "./faults.js";
import type { Ids } from "./ids.js";
import { sendInMemory } from "./in-memory.js";
import { type Clock, type Instant, MockClock } from "./mock-clock.js";
import { type MockedService, mockedService } from "./mocked-service.js";
import { ownerSide } from "./owner-acts.js";
import type { OwnerSide } from "./owner-side.js";
import { pause } from "./pause.js";
import { type Fault, PlannedFaults } from "./planned-faults.js";
import type { RecordedRequest } from "./recorded-request.js";
import { readBody, shownBody } from "./request-body.js";
import type { KnownFields, RefOf, SeedInput, SlugOf } from "./seed.js";
import { idsOf, keyOf, onlyBusiness } from "./seed-lookup.js";
import { wireRequest } from "./wire-request.js";

/** The options of the mock. All are optional. */
export interface MockOptions<Seed extends SeedInput = SeedInput> {
  /** The initial content, as in the file of `queue-api seed`. Default: {@link defaultSeed}. */
  readonly seed?: (Seed & KnownFields<Seed>) | undefined;
  /**
   * The time at which the service's clock is stopped, or a clock to follow, such as `Date.now`. Default:
   * 21 November 2026, 04:30 UTC, which is 10:00 in India.
   */
  readonly clock?: Instant | Clock | undefined;
  /** The same seed, clock and random seed give the same ids and keys in each run. Default `"queue-api"`. */
  readonly randomSeed?: string | undefined;
  /** The URL of the service. Default `https://queue.example`. */
  readonly baseUrl?: string | undefined;
  /**
   * The proxies whose `X-Forwarded-For` is trusted, as in `TRUST_PROXY`; requests come from 127.0.0.1.
   * Default: none.
   */
  readonly trustProxy?: number | readonly string[] | undefined;
  /** Whether each answer is checked against the contract before it is sent. Default false. */
  readonly checkAnswers?: boolean | undefined;
  /**
   * Wraps the service's store, a `Store` of `@queue-api/server`, to make one of its steps fail or wait.
   * Default: the store itself.
   */
  interpose?(store: object): object;
}

/**
 * The real service inside this process: the same pipeline, rules and headers on a store in memory. It opens
 * no port, writes no file and leaves no timer behind. It serves only the API, not `/docs`.
 */
export interface QueueApiMock<Seed extends SeedInput = SeedInput> extends OwnerSide {
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
  /** The requests since the start or the last reset, in order. */
  readonly requests: readonly RecordedRequest[];
  /**
   * The store, a `Store` of `@queue-api/server`, for the owner's functions of that package. A reset replaces
   * it.
   */
  readonly store: object;
  /** Restores the initial state: the seed with the same ids and keys, the clock, no faults, no requests. */
  reset(): void;
  /** Ends the requests in progress, like a connection reset. Later requests fail. */
  close(): Promise<void>;
}

const morning = Date.UTC(2026, 10, 21, 4, 30);

const mockOptions: Checks<MockOptions> = {
  seed: anything,
  clock: anything,
  randomSeed: ofType("string"),
  baseUrl: (value) => (URL.canParse(String(value)) ? null : "must be an address"),
  trustProxy: anything,
  checkAnswers: ofType("boolean"),
  interpose: ofType("function"),
};

/**
 * Starts an independent mock. Throws `SeedFaultsError` if the seed is wrong, and RangeError for an unknown
 * option or a value out of range.
 */
export function mockQueueApi<const Seed extends SeedInput = DefaultSeed>(
  options: MockOptions<Seed> = {},
): QueueApiMock<Seed> {
  checkOptions(options, mockOptions);
  return new Mock(options);
}

class Mock implements QueueApiMock {
  readonly baseUrl: string;
  readonly clock: MockClock;
  readonly faults = new PlannedFaults();
  readonly ids: Ids;
  readonly entries;
  readonly queues;
  readonly businesses;
  readonly appointments;
  readonly keys;
  readonly #base: URL;
  /** Path of the base URL, without a trailing slash. */
  readonly #prefix: string;
  readonly #begin: () => MockedService;
  #service: MockedService;
  #requests: Recording[] = [];
  /** The started acts of the owner. A request waits for them. */
  #acts: Promise<unknown> = Promise.resolve();
  /** The controllers that end the requests in progress. */
  readonly #underWay = new Set<AbortController>();
  #closed = false;

  constructor({ seed = defaultSeed, clock = morning, ...options }: MockOptions) {
    this.#base = new URL(options.baseUrl ?? "https://queue.example");
    this.#prefix = this.#base.pathname.replace(/\/+$/, "");
    this.baseUrl = this.#base.origin + this.#prefix;
    this.clock = new MockClock(clock);
    this.#begin = () =>
      mockedService({
        seed,
        clock: () => this.clock.now(),
        randomSeed: options.randomSeed ?? "queue-api",
        baseUrl: this.baseUrl,
        trustProxy: options.trustProxy ?? [],
        checkAnswers: options.checkAnswers ?? false,
        interpose: (store) => (options.interpose?.(store) ?? store) as Store,
      });
    this.#service = this.#begin();
    this.ids = idsOf(() => this.#service.seeded);
    const side = ownerSide({
      store: () => this.#service.store,
      random: () => this.#service.random,
      now: () => this.clock.now(),
      slugOf: (slug) => onlyBusiness(this.#service.seeded, slug)[0],
      begun: (act) => {
        this.#acts = Promise.allSettled([this.#acts, act]);
      },
    });
    this.entries = side.entries;
    this.queues = side.queues;
    this.businesses = side.businesses;
    this.appointments = side.appointments;
    this.keys = side.keys;
  }

  readonly fetch: QueueApiMock["fetch"] = async (input, init) => {
    if (this.#closed) throw connectionReset();
    const request = input instanceof Request && !init ? input : new Request(input, init);
    const ending = new AbortController();
    const abort = () => ending.abort(request.signal.reason);
    if (request.signal.aborted) abort();
    request.signal.addEventListener("abort", abort);
    this.#underWay.add(ending);
    try {
      return await this.#answer(request, ending.signal);
    } finally {
      this.#underWay.delete(ending);
      request.signal.removeEventListener("abort", abort);
    }
  };

  get requests(): readonly RecordedRequest[] {
    return this.#requests;
  }

  get store(): Store {
    return this.#service.store;
  }

  key(ref?: string, slug?: string): string {
    return keyOf(this.#service.seeded, ref, slug);
  }

  reset(): void {
    this.clock.reset();
    this.faults.clear();
    this.#requests = [];
    this.#acts = Promise.resolve();
    this.#service = this.#begin();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const request of this.#underWay) request.abort(connectionReset());
    await this.#service.endStop();
    await this.#service.store.close();
  }

  async #answer(request: Request, signal: AbortSignal): Promise<Response> {
    const service = this.#service;
    const { url, method } = request;
    const address = new URL(url);
    const path = this.#pathOf(address);
    const route = routeOf(method, path);
    const fault = this.faults.take(route);
    const recording: Recording = {
      method,
      path,
      route,
      query: Object.fromEntries(address.searchParams),
      headers: Object.fromEntries(request.headers),
      body: null,
      at: this.clock.now(),
      fault: fault?.name ?? null,
      status: null,
      requestId: null,
    };
    this.#requests.push(recording);
    const body = await readBody(request);
    recording.body = shownBody(body);
    await Promise.all([service.ready, this.#acts]);
    signal.throwIfAborted();

    if (fault?.name === "reset-before") throw connectionReset();
    if (fault && "status" in fault) {
      recording.status = fault.status;
      return proxyResponse(url, fault.status, fault.name === "html" ? "text/html" : "text/plain");
    }
    const answer = await sendInMemory(service.server, wireRequest(request, address, path, body), {
      signal,
      onConnection: (connection) => {
        if (fault && "refusal" in fault) service.refuse(connection, fault.refusal(route));
      },
    });
    const sent = new Date(this.clock.now()).toUTCString();
    const headers = answer.headers.map(([name, value]): [string, string] => [
      name,
      name === "Date" ? sent : value,
    ]);
    recording.requestId = headers.find(([name]) => name === "X-Request-Id")?.[1] ?? null;
    if (fault?.name === "reset-after-commit") throw connectionReset();
    if (fault?.name === "slow") await pause(fault.milliseconds, signal);
    recording.status = answer.status;
    return responseOf(url, method, { ...answer, headers }, cutAfter(fault, answer.body.length));
  }

  /** The path below the base URL. */
  #pathOf({ origin, pathname }: URL): string {
    const inside = origin === this.#base.origin && `${pathname}/`.startsWith(`${this.#prefix}/`);
    if (!inside) throw new TypeError(`fetch failed: this mock answers ${this.baseUrl} alone`);
    return pathname.slice(this.#prefix.length);
  }
}

type Recording = { -readonly [Name in keyof RecordedRequest]: RecordedRequest[Name] };

function cutAfter(fault: Fault | null, length: number): number | null {
  if (fault?.name !== "truncated") return null;
  return Math.min(fault.bytes ?? Math.floor(length / 2), length);
}
