import { routeOf } from "@queue-api/contract";
import type { Store } from "../../server/src/in-process.js";
import { anything, checkOptions } from "./check-options.js";
import { MockClock, milliseconds } from "./clock.js";
import { readBody, sendInMemory, shownBody, wireRequest } from "./in-memory.js";
import type { MockOptions, QueueApiMock } from "./mock-types.js";
import { type Internals, mockedService, morning } from "./mocked-service.js";
import { ownerSide } from "./owner-acts.js";
import { PlannedAnswers } from "./planned-answers.js";
import { type Fault, PlannedFaults } from "./planned-faults.js";
import type { RecordedRequest } from "./recorded-request.js";
import { connectionFailure, responseOf } from "./responses.js";
import { idsOf, keyOf } from "./seed-lookup.js";

/** The mock of `mockQueueApi`. `internals`: for the tests of this project. */
export function startMock(
  {
    seed,
    clock: start = morning,
    baseUrl: address = "https://queue.example",
    randomSeed = "queue-api",
  }: Omit<MockOptions, "seed"> & { readonly seed: unknown },
  internals: Internals = {},
): QueueApiMock & { readonly store: Store } {
  const base = new URL(address);
  const prefix = base.pathname.replace(/\/+$/, "");
  const baseUrl = base.origin + prefix;
  const clock = new MockClock(start);
  const now = () => clock.now();
  const faults = new PlannedFaults();
  const answers = new PlannedAnswers(baseUrl);
  const begin = () =>
    mockedService({ ...internals, seed, clock: now, randomSeed, baseUrl, answers });
  let service = begin();
  const getService = () => service;
  let requests: Recording[] = [];
  /** The end of the owner's acts so far. The next act and the requests wait for it. */
  let acts: Promise<unknown> = service.ready;
  const closing = new AbortController();
  let downUntil = Number.NEGATIVE_INFINITY;

  return {
    baseUrl,
    clock,
    faults,
    answers,
    ids: idsOf(() => service.seeded),
    key: (ref, slug) => keyOf(service.seeded, ref, slug),
    ...ownerSide(getService, now, (start) => {
      const act = acts.then(start);
      acts = act.catch(() => null);
      return act;
    }),

    async fetch(input, init) {
      closing.signal.throwIfAborted();
      const request = input instanceof Request && !init ? input : new Request(input, init);
      return respond(request, AbortSignal.any([request.signal, closing.signal]));
    },

    get requests() {
      return requests;
    },

    get store() {
      return service.store;
    },

    down(options) {
      checkOptions(options, { for: anything });
      if (options.for === undefined) throw new RangeError('for is required, as in { for: "60s" }');
      downUntil = now() + milliseconds(options.for);
    },

    reset() {
      clock.reset();
      downUntil = Number.NEGATIVE_INFINITY;
      faults.clear();
      answers.clear();
      requests = [];
      service.over.abort();
      service = begin();
      acts = service.ready;
    },

    async close() {
      closing.abort(connectionFailure("ECONNRESET"));
      await service.endStop();
      await service.store.close();
    },
  };

  async function respond(request: Request, signal: AbortSignal): Promise<Response> {
    signal.throwIfAborted(); // nothing is sent
    const { server, refuse, over } = service;
    const before = acts;
    const { url, method } = request;
    const location = new URL(url);
    const path = pathOf(location);
    const route = routeOf(method, path);
    const fault: Fault | null = now() < downUntil ? { name: "down" } : faults.take(route);
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
    const body = await readBody(request);
    recording.body = shownBody(body);
    await before;
    signal.throwIfAborted();

    if (fault?.name === "down") throw connectionFailure("ECONNREFUSED");
    if (fault?.name === "reset-before") throw connectionFailure("ECONNRESET");
    if (fault?.answer) {
      const answer = fault.answer(url);
      recording.status = answer.status;
      return answer;
    }
    const answer = await sendInMemory(server, wireRequest(request, location, path, body), body, {
      signal,
      onConnection: (connection) => {
        if (!fault?.refusal) return;
        const { name, refusal } = fault;
        refuse(connection, () => {
          recording.fault = name;
          return refusal(route);
        });
      },
    });
    for (const header of answer.headers) {
      if (header[0] === "Date") header[1] = new Date(now()).toUTCString();
      if (header[0] === "X-Request-Id") recording.requestId = header[1];
    }
    if (fault?.name === "reset-after-commit") throw connectionFailure("ECONNRESET");
    if (fault?.delay) {
      await pause(fault.delay, AbortSignal.any([signal, over.signal]));
      signal.throwIfAborted();
    }
    recording.status = answer.status;
    return responseOf(url, method, answer, fault?.cutAt?.(answer.body.length));
  }

  /** The path below the base URL. */
  function pathOf({ origin, pathname }: URL): string {
    const inside = origin === base.origin && `${pathname}/`.startsWith(`${prefix}/`);
    if (!inside) throw new TypeError(`fetch failed: this mock answers ${baseUrl} alone`);
    return pathname.slice(prefix.length);
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
