import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Logger, pino } from "pino";
import type { Config } from "./config.js";
import { buildDashboard } from "./dashboard/dashboard.js";
import { Housekeeper } from "./housekeeper.js";
import { listeningUrl } from "./listening-url.js";
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
  /**
   * Takes no new connection, answers the requests under way, cuts those that take longer than
   * `shutdownSeconds`, and keeps the audit rows that are pending. Calling it again waits for the same end.
   */
  close(): Promise<void>;
}

/** Starts the service. Fails as `listen` fails, for example with `EADDRINUSE`. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { store, config } = options;
  const logger = options.logger ?? pino({ level: "silent" });
  let url = "";
  const random = options.random ?? pooledRandom();
  const baseUrl = () => config.baseUrl ?? url;
  const passwords = options.passwords ?? new Passwords({ random });
  const dashboard = buildDashboard({ store, random, logger, passwords, baseUrl });
  const service = buildService(
    { ...options, random, logger },
    { baseUrl, dashboard: dashboard.handler },
  );
  const housekeeper = new Housekeeper(store, logger);

  await listen(service.server, config);
  const { port } = service.server.address() as AddressInfo;
  url = listeningUrl(config, port);
  housekeeper.start();

  const stop = async () => {
    service.beginStop();
    dashboard.beginStop();
    housekeeper.stop();
    await closeServer(service.server, config.shutdownSeconds, logger);
    await service.endStop();
  };
  let stopped: Promise<void> | undefined;
  return {
    url,
    port,
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
