import type { RequestListener } from "node:http";
import type { Logger } from "pino";
import { type Config, ConfigError } from "../config.js";
import { metricsListener } from "../http/operator-endpoints.js";
import type { RequestObserver } from "../http/request-observer.js";
import { listeningUrl } from "../lib/http-server.js";
import type { Store } from "../operations/store.js";
import type { ServiceLoad } from "../service.js";
import { isOnServer } from "../store/database-url.js";
import { LinesNow } from "./lines-now.js";
import type { Metrics } from "./metrics.js";
import { type MetricsServer, startMetricsServer } from "./metrics-server.js";
import { observedStore } from "./observed-store.js";
import type { Tracing } from "./tracing.js";

/** Metrics and traces of a running service, each only if the settings ask for it. */
export interface Observability {
  /** The store, with observed operations if metrics or traces are on. */
  readonly store: Store;
  /** The observers to build the service with. */
  readonly runtime: { readonly observe?: RequestObserver; readonly metrics?: RequestListener };
  /** Starts to serve scrapes. Rejects with ConfigError if the metrics' own port cannot be used. */
  listen(load: () => ServiceLoad): Promise<void>;
  /** The URL of the metrics of a service at this address; null if they are off. */
  metricsUrl(serviceUrl: string): string | null;
  /** Closes the metrics' own port and sends the last spans. Call it after the service has ended. */
  close(): Promise<void>;
}

/** Loads and starts the metrics and traces that the settings turn on. */
export async function openObservability(
  store: Store,
  config: Config,
  logger: Logger,
): Promise<Observability> {
  const { metricsHost: host, metricsPort: ownPort, metricsToken: token } = config;
  const metrics =
    ownPort !== null || token !== null ? new (await import("./metrics.js")).Metrics() : null;
  const tracing = config.tracing ? await loadTracing(logger, config) : null;
  const observed = [metrics?.store, tracing?.store]
    .filter((observer) => observer !== undefined && observer !== null)
    .reduce(observedStore, store);
  const observe = together(metrics?.requests, tracing?.requests);
  let serviceLoad: (() => ServiceLoad) | undefined;
  let server: MetricsServer | undefined;

  const lines = new LinesNow(observed, logger);
  const scrape = async (from: Metrics) => {
    if (!serviceLoad) throw new Error("the service is not running yet");
    const waiting = await lines.read();
    return from.text({ ...serviceLoad(), lines: waiting });
  };
  const listener = metrics
    ? metricsListener({ scrape: () => scrape(metrics), token, logger })
    : undefined;

  return {
    store: observed,
    runtime: {
      ...(observe && { observe }),
      ...(listener && ownPort === null && { metrics: listener }),
    },
    listen: async (load) => {
      serviceLoad = load;
      if (!listener || ownPort === null) return;
      server = await startMetricsServer({ host, port: ownPort }, listener);
      const where = { host, port: server.port };
      if (isOpenToOthers(config)) logger.warn(where, openToAll);
      else logger.info(where, "metrics are served");
    },
    metricsUrl: (serviceUrl) => {
      if (!listener) return null;
      return `${server ? listeningUrl({ host }, server.port) : serviceUrl}/metrics`;
    },
    close: async () => {
      await server?.close();
      await tracing?.close();
    },
  };
}

const openToAll =
  "metrics are served to everyone who reaches this address; METRICS_TOKEN protects them";

/** Whether other machines can read the metrics without a token, which is rarely intended. */
export function isOpenToOthers({
  metricsHost: host,
  metricsToken,
}: Pick<Config, "metricsHost" | "metricsToken">): boolean {
  const loopback = host === "localhost" || host === "::1" || /^127\./.test(host);
  return metricsToken === null && !loopback;
}

async function loadTracing(logger: Logger, { databaseUrl }: Config): Promise<Tracing> {
  const tracing = await import("./tracing.js").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    const advice = "npm install @opentelemetry/api @opentelemetry/sdk-node";
    const message = `The OTEL_ settings ask for traces, which need two more packages: ${advice}`;
    throw new ConfigError(message, { cause: error });
  });
  return tracing.startTracing(logger, { storeSpans: isOnServer(databaseUrl) });
}

function together(
  outer: RequestObserver | undefined,
  inner: RequestObserver | undefined,
): RequestObserver | undefined {
  if (!outer || !inner) return outer ?? inner;
  return (req, res, proceed) => outer(req, res, () => inner(req, res, proceed));
}
