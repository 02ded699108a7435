import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { acceptWaiting, closeServer } from "./close-server.js";
import type { Config } from "./config.js";
import { buildDashboard } from "./dashboard/dashboard.js";
import { Housekeeper } from "./housekeeper.js";
import { serveDocs } from "./http/docs.js";
import { listeningUrl } from "./listening-url.js";
import { openObservability } from "./observability/observability.js";
import { Passwords } from "./owner/password.js";
import { buildService, type ServiceOptions } from "./service.js";
import { pooledRandom } from "./system.js";

/** What a server is made of. */
export interface ServerOptions extends ServiceOptions {
  /** Hashes the passwords of owners. Default: at the usual cost. */
  readonly passwords?: Passwords;
  /**
   * How long a connection without a request may still bring one when the server closes, in milliseconds. A
   * proxy may be sending on a connection that it kept. At most `shutdownSeconds`. Default 0.
   */
  readonly lingerMs?: number;
  /** Whether the pages below `/docs` offer to send requests with the key of a sandbox business. Default false. */
  readonly tryIt?: boolean;
}

/** A server that is listening. */
export interface RunningServer {
  /** Where it listens, for example `http://127.0.0.1:3000`. */
  readonly url: string;
  readonly port: number;
  /** Where the metrics are read; null when they are off. */
  readonly metricsUrl: string | null;
  /**
   * Takes no new connection, answers the requests under way and those that come on connections it has, cuts
   * what takes longer than `shutdownSeconds`, keeps the audit rows that are pending and sends the last
   * traces. Calling it again waits for the same end.
   */
  close(): Promise<void>;
}

/**
 * Starts the service. Fails as `listen` fails, for example with `EADDRINUSE`, and with ConfigError where
 * metrics or traces cannot be had as the settings ask.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { config, lingerMs = 0, tryIt = false } = options;
  const logger = options.logger ?? pino({ level: "silent" });
  const observability = await openObservability(options.store, config, logger);
  const { store } = observability;
  let url = "";
  const random = options.random ?? pooledRandom();
  const baseUrl = () => config.baseUrl ?? url;
  const passwords = options.passwords ?? new Passwords({ random });
  const { baseUrl: publicUrl } = config;
  const dashboard = buildDashboard({ store, random, logger, passwords, baseUrl, publicUrl });
  const service = buildService(
    { ...options, store, random, logger },
    {
      baseUrl,
      dashboard: dashboard.handler,
      docs: serveDocs({ tryIt }),
      ...observability.surroundings,
    },
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
    housekeeper.stop();
    // Until now connections are kept, or those who lose one would open others all the time.
    await acceptWaiting(service.server);
    const patience = { lingerMs, longestMs: config.shutdownSeconds * 1000 };
    const closed = closeServer(service.server, service.endUnused, patience, logger);
    service.beginStop();
    dashboard.beginStop();
    await closed;
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

/** How many connections the system holds until they are accepted. Beyond it, clients try again a second later. */
const backlog = 1_024;

function listen(server: Server, { host, port }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, backlog, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
