import { routeOf, type Store } from "../../server/src/in-process.js";
import { MockClock } from "./clock.js";
import { sendInMemory } from "./in-memory.js";
import type { MockOptions, QueueApiMock } from "./mock-queue-api.js";
import { type Internals, type MockedService, mockedService } from "./mocked-service.js";
import { ownerSide } from "./owner-acts.js";
import { pause } from "./pause.js";
import { PlannedAnswers } from "./planned-answers.js";
import { type Fault, PlannedFaults } from "./planned-faults.js";
import type { RecordedRequest } from "./recorded-request.js";
import { connectionReset, proxyResponse, responseOf } from "./responses.js";
import type { Ids } from "./seed.js";
import { idsOf, keyOf, onlyBusiness } from "./seed-lookup.js";
import { readBody, shownBody, wireRequest } from "./wire-request.js";

const morning = Date.UTC(2026, 10, 21, 4, 30);

/** The mock of `mockQueueApi`. The second argument is for the tests of this project. */
export class Mock implements QueueApiMock {
  readonly baseUrl: string;
  readonly clock: MockClock;
  readonly faults = new PlannedFaults();
  readonly answers: PlannedAnswers;
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

  constructor(
    {
      seed,
      clock = morning,
      baseUrl = "https://queue.example",
      randomSeed = "queue-api",
    }: Omit<MockOptions, "seed"> & { readonly seed: unknown },
    internals: Internals = {},
  ) {
    this.#base = new URL(baseUrl);
    this.#prefix = this.#base.pathname.replace(/\/+$/, "");
    this.baseUrl = this.#base.origin + this.#prefix;
    this.clock = new MockClock(clock);
    this.answers = new PlannedAnswers(this.baseUrl);
    this.#begin = () =>
      mockedService({
        seed,
        clock: () => this.clock.now(),
        idTime: morning,
        randomSeed,
        baseUrl: this.baseUrl,
        answers: this.answers,
        ...internals,
      });
    this.#service = this.#begin();
    this.ids = idsOf(() => this.#service.seeded);
    const side = ownerSide({
      store: () => this.#service.store,
      random: () => this.#service.random,
      now: () => this.clock.now(),
      slugOf: (slug) => onlyBusiness(this.#service.seeded, slug)[0],
      ready: () => this.#service.ready,
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
    this.answers.clear();
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
