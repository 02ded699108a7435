import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Logger } from "pino";
import { type Config, ConfigError } from "../config.js";
import { metricsListener } from "../http/operator-endpoints.js";
import type { RequestObserver } from "../http/request-observer.js";
import { listeningUrl } from "../lib/http-server.js";
import type { Store } from "../operations/store.js";
import type { ServiceLoad } from "../service.js";
import { isOnServer } from "../store/database-url.js";
import { LinesNow } from "./lines-now.js";
import { startMetricsServer } from "./metrics-server.js";
import { observedStore } from "./observed-store.js";

/** Loads and starts the metrics and traces that the settings turn on. */
export async function openObservability(store: Store, config: Config, logger: Logger) {
  const { metricsHost: host, metricsPort: ownPort, metricsToken: token } = config;
  const metrics =
    ownPort !== null || token !== null ? new (await import("./metrics.js")).Metrics() : null;
  const tracing = config.tracing ? await loadTracing(logger, config) : null;
  const observed = [metrics?.store, tracing?.store]
    .filter((observer) => observer !== undefined && observer !== null)
    .reduce(observedStore, store);
  const observe = together(metrics?.requests, tracing?.requests);
  const listener = metrics && metricsListener(() => metrics.text(), token, logger);
  let server: Server | undefined;
  const portOf = (own: Server) => (own.address() as AddressInfo).port;

  return {
    /** The store, with observed operations if metrics or traces are on. */
    store: observed,
    /** The observers to build the service with. */
    runtime: {
      ...(observe && { observe }),
      ...(listener && ownPort === null && { metrics: listener }),
    },
    /** Starts to serve scrapes. Rejects with ConfigError if the metrics' own port cannot be used. */
    listen: async (load: () => ServiceLoad): Promise<void> => {
      metrics?.addLoad(load, new LinesNow(observed, logger));
      if (!listener || ownPort === null) return;
      server = await startMetricsServer({ host, port: ownPort }, listener);
      const where = { host, port: portOf(server) };
      if (isOpenToOthers(config)) logger.warn(where, openToAll);
      else logger.info(where, "metrics are served");
    },
    /** The URL of the metrics of a service at this address; null if they are off. */
    metricsUrl: (serviceUrl: string): string | null => {
      if (!listener) return null;
      return `${server ? listeningUrl({ host }, portOf(server)) : serviceUrl}/metrics`;
    },
    /** Closes the metrics' own port and sends the last spans. Call it after the service has ended. */
    close: async (): Promise<void> => {
      const closed = server && once(server.close(), "close");
      server?.closeAllConnections();
      await closed;
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

async function loadTracing(logger: Logger, { databaseUrl }: Config) {
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
