import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { buildDashboard } from "./dashboard/dashboard.js";
import { Housekeeper } from "./housekeeper.js";
import { serveDocs } from "./http/docs.js";
import { acceptWaiting, closeServer, listen, listeningUrl } from "./lib/http-server.js";
import { systemRandom } from "./lib/system.js";
import { openObservability } from "./observability/observability.js";
import { Passwords } from "./owner/password.js";
import { buildService, type ServiceOptions } from "./service.js";

/** The options of {@link startServer}. */
export interface ServerOptions extends ServiceOptions {
  /** Hashes the passwords of owners. Default: at the usual cost. */
  readonly passwords?: Passwords;
  /**
   * How long a connection without a request may still send one when the server closes, in milliseconds. A
   * proxy may be sending on a connection that it kept open. At most `shutdownSeconds`. Default 0.
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
  /** The URL of the metrics; null when they are off. */
  readonly metricsUrl: string | null;
  /**
   * Stops the server. It refuses new connections, completes the running requests and those that still arrive
   * on open connections, cuts off what takes longer than `shutdownSeconds`, stores the pending audit rows and
   * sends the last traces. A second call waits for the first one.
   */
  close(): Promise<void>;
}

/**
 * Starts the service. Rejects with the error of `listen`, for example `EADDRINUSE`, and with ConfigError when
 * metrics or traces cannot start with the given settings.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { config, lingerMs = 0, tryIt = false } = options;
  const logger = options.logger ?? pino({ level: "silent" });
  const observability = await openObservability(options.store, config, logger);
  const { store } = observability;
  let url = "";
  const random = options.random ?? systemRandom;
  const baseUrl = () => config.baseUrl ?? url;
  const passwords = options.passwords ?? new Passwords({ random });
  const { baseUrl: publicUrl } = config;
  const dashboard = buildDashboard({ store, random, logger, passwords, baseUrl, publicUrl });
  const service = buildService(
    { ...options, store, random, logger },
    {
      baseUrl,
      dashboard,
      docs: serveDocs(tryIt),
      ...observability.runtime,
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
    // Until now connections stay open: a client that loses one would immediately open another.
    await acceptWaiting(service.server);
    const timeouts = { lingerMs, maxRequestMs: config.shutdownSeconds * 1000 };
    const closed = closeServer(service.server, service.endUnused, timeouts, logger);
    service.beginStop();
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
