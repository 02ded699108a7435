import { routeOf } from "@queue-api/contract";
import type { Store } from "../../server/src/in-process.js";
import { PlannedAnswers } from "./answers.js";
import { anything, type Checks, checkOptions, ofType } from "./check-options.js";
import { MockClock, milliseconds } from "./clock.js";
import { type DefaultSeed, defaultSeed } from "./default-seed.js";
import { down, PlannedFaults } from "./faults.js";
import { sendInMemory, shownBody, wireRequest } from "./in-memory.js";
import type { MockOptions, QueueApiMock, RecordedRequest } from "./mock-types.js";
import { type Internals, mockedService, morning } from "./mocked-service.js";
import { ownerSide } from "./owner-side.js";
import { connectionFailure, withUrl } from "./responses.js";
import type { AnySeed } from "./seed.js";
import { idsOf, keyOf } from "./seed-lookup.js";

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

type Recording = { -readonly [Name in keyof RecordedRequest]: RecordedRequest[Name] };

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
