import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Logger, pino } from "pino";
import type { Config } from "./config.js";
import { buildDashboard } from "./dashboard/dashboard.js";
import { Housekeeper } from "./housekeeper.js";
import { listeningUrl } from "./listening-url.js";
import { openObservability } from "./observability/observability.js";
import { Passwords } from "./owner/password.js";
import { buildService, type ServiceOptions } from "./service.js";
import { pooledRandom } from "./system.js";

/** What a server is made of. */
export interface ServerOptions extends ServiceOptions {
  /** Hashes the passwords of owners. Default: at the usual cost. */
  readonly passwords?: Passwords;
}

/** A server that is listening. */
export interface RunningServer {
  /** Where it listens, for example `http://127.0.0.1:3000`. */
  readonly url: string;
  readonly port: number;
  /** Where the metrics are read; null when they are off. */
  readonly metricsUrl: string | null;
  /**
   * Takes no new connection, answers the requests under way, cuts those that take longer than
   * `shutdownSeconds`, keeps the audit rows that are pending and sends the last traces. Calling it again
   * waits for the same end.
   */
  close(): Promise<void>;
}

/**
 * Starts the service. Fails as `listen` fails, for example with `EADDRINUSE`, and with ConfigError where
 * metrics or traces cannot be had as the settings ask.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { config } = options;
  const logger = options.logger ?? pino({ level: "silent" });
  const observability = await openObservability(options.store, config, logger);
  const { store } = observability;
  let url = "";
  const random = options.random ?? pooledRandom();
  const baseUrl = () => config.baseUrl ?? url;
  const passwords = options.passwords ?? new Passwords({ random });
  const dashboard = buildDashboard({ store, random, logger, passwords, baseUrl });
  const service = buildService(
    { ...options, store, random, logger },
    { baseUrl, dashboard: dashboard.handler, ...observability.surroundings },
  );
  const housekeeper = new Housekeeper(store, logger);

  try {
    await observability.listen(() => service.load());
    await listen(service.server, config);
  } catch (error) {
    await observability.close();
    throw error;
  }
  const { port } = service.server.address() as AddressInfo;
  url = listeningUrl(config, port);
  housekeeper.start();

  const stop = async () => {
    service.beginStop();
    dashboard.beginStop();
    housekeeper.stop();
    await closeServer(service.server, config.shutdownSeconds, logger);
    await service.endStop();
    await observability.close();
  };
  let stopped: Promise<void> | undefined;
  return {
    url,
    port,
    metricsUrl: observability.metricsUrl(url),
    close: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

function listen(server: Server, { host, port }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function closeServer(server: Server, seconds: number, logger: Logger): Promise<void> {
  return new Promise((resolve) => {
    const limit = setTimeout(() => {
      logger.warn("requests still under way are cut: they took longer than SHUTDOWN_SECONDS");
      server.closeAllConnections();
    }, seconds * 1000);
    server.close(() => {
      clearTimeout(limit);
      resolve();
    });
    server.closeIdleConnections();
  });
}
