import {
  buildService,
  type Clock,
  contextOf,
  importBusinesses,
  memoryStore,
  type Random,
  type Refusal,
  readConfig,
  readSeed,
  type SeedResult,
  type Service,
  type ServiceRuntime,
  type Store,
} from "../../server/src/testkit.js";
import type { SeedInput } from "./seed.js";
import { seededRandom } from "./seeded-random.js";

/** The options of a mocked service. */
export interface MockedServiceOptions {
  readonly seed: SeedInput;
  readonly clock: Clock;
  readonly randomSeed: string;
  readonly baseUrl: string;
  readonly trustProxy: number | readonly string[];
  readonly checkAnswers: boolean;
  readonly interpose: (store: Store) => Store;
}

/** The service of a mock between two resets, with its own store. */
export interface MockedService extends Service {
  readonly store: Store;
  readonly random: Random;
  readonly seeded: SeedResult;
  /** Settles once the seed is in the store. */
  readonly ready: Promise<unknown>;
  /** Refuses the requests on this connection after the check of their key. */
  refuse(connection: object, refusal: Refusal): void;
}

export function mockedService(options: MockedServiceOptions): MockedService {
  const { clock, baseUrl, trustProxy, checkAnswers } = options;
  const random = seededRandom(options.randomSeed);
  const store = memoryStore(clock);
  const seed = readSeed(options.seed, { now: clock(), random });
  const refusals = new WeakMap<object, Refusal>();
  const onAdmitted: ServiceRuntime["onAdmitted"] = (req, res, next) => {
    const refusal = refusals.get(req.socket);
    if (!refusal) return next();
    const exchange = contextOf(res);
    if (refusal.code === "rate_limited" && exchange.window) {
      const { retryAfterSeconds = exchange.window.resetSeconds } = refusal.extras;
      exchange.window = { ...exchange.window, remaining: 0, resetSeconds: retryAfterSeconds };
    }
    throw refusal;
  };

  const service = buildService(
    {
      store: options.interpose(store),
      config: { ...readConfig({}), trustProxy, checkAnswers },
      random,
    },
    {
      baseUrl: () => baseUrl,
      onAdmitted,
      flushAuditEveryMs: 0,
      sharesFairly: false,
    },
  );
  return {
    ...service,
    store,
    random,
    seeded: seed.result,
    ready: importBusinesses(store, seed.imports, { replace: false }),
    refuse: (connection, refusal) => refusals.set(connection, refusal),
  };
}
