import { createHash } from "node:crypto";
import * as server from "../../server/src/in-process.js";
import type { PlannedAnswers } from "./answers.js";
import type { Connection } from "./in-memory.js";
import { withKeyLimits } from "./key-limits.js";

/** Options of a mock for the tests of this project. */
export interface Internals {
  /** Settings that differ from the defaults. */
  readonly settings?: Partial<server.Config>;
  /** Wraps the service's store, to make one of its steps fail or wait. Default: the store itself. */
  readonly interpose?: (store: server.Store) => server.Store;
}

interface MockedServiceOptions extends Internals {
  readonly seed: unknown;
  readonly clock: server.Clock;
  readonly randomSeed: string;
  readonly baseUrl: string;
  readonly answers: PlannedAnswers;
}

/** The time in the ids of the seed, which do not depend on the clock; also where the clock stands by default. */
export const morning = Date.UTC(2026, 10, 21, 4, 30);

/** The service of a mock between two resets, with its own store. */
export type MockedService = ReturnType<typeof mockedService>;

export function mockedService(options: MockedServiceOptions) {
  const { clock, baseUrl, answers, interpose = (store) => store } = options;
  const random = seededRandom(options.randomSeed);
  const store = server.memoryStore(clock, clock, random);
  const now = clock();
  const seed = server.readSeed(withKeyLimits(options.seed), { now, random, idTime: morning });
  /** Aborted at the reset. What a test plans after it is not for the requests before it. */
  const over = new AbortController();

  const intercept: server.ServiceRuntime["intercept"] = (route, endpoint) => async (input) => {
    const { req, res, params, query, body } = input;
    const connection: Connection = req.socket;
    const apiError = connection.refusal?.();
    if (apiError) {
      reportLimit(res, apiError);
      if (apiError.code === "request_timeout") res.set("Connection", "close"); // like the service
      throw apiError;
    }
    const planned = over.signal.aborted ? null : answers.take(`${route.method} ${route.path}`);
    if (!planned) return endpoint(input);
    const [id] = Object.values(params);
    const response = planned({ baseUrl, id, date: query.date, body });
    res.set(response.headers);
    return response;
  };

  const config = { ...server.readConfig({}), ...withoutConnectionLimits, ...options.settings };
  const service = server.buildService(
    { store: interpose(store), config, random },
    { baseUrl: () => baseUrl, intercept, flushAuditEveryMs: 0, sharesFairly: false },
  );
  return {
    ...service,
    store,
    random,
    over,
    content: seed.content,
    seeded: seed.result,
    /** Settles once the seed is in the store. */
    ready: server.importBusinesses(store, seed.imports, { replace: false }),
  };
}

/** Nothing is a connection here, so nothing ends one that is too many. */
const withoutConnectionLimits = {
  maxConnections: Number.MAX_SAFE_INTEGER,
  maxConnectionsPerAddress: Number.MAX_SAFE_INTEGER,
};

/** Makes the RateLimit headers agree with a refusal: those of a caller without a key count failed sign-ins. */
function reportLimit(
  res: Parameters<typeof server.contextOf>[0],
  { code, extras }: server.ApiError,
): void {
  const isSignIn = code === "unauthorized" || code === "too_many_failed_attempts";
  const window = isSignIn ? server.untouchedWindow : server.contextOf(res).window;
  if (!window || !(isSignIn || code === "rate_limited")) return;
  const { retryAfterSeconds: resetSeconds = window.resetSeconds } = extras;
  const remaining = code === "unauthorized" ? window.remaining - 1 : 0;
  server.reportWindow(res, { ...window, remaining, resetSeconds });
}

/** Random bytes that are the same for the same seed, in every run. For tests only: they are predictable. */
function seededRandom(seed: string): server.Random {
  let calls = 0;
  return (bytes) =>
    createHash("shake256", { outputLength: bytes }).update(`${seed}/${calls++}`).digest();
}
