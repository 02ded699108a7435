import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type Express, type Request, type Response } from "express";
import { type Logger, pino } from "pino";
import type { Config } from "./config.js";
import { Housekeeper } from "./housekeeper.js";
import { answerer } from "./http/answer.js";
import { AuditTrail } from "./http/audit.js";
import { buildPipeline } from "./http/pipeline.js";
import { answerProtocolErrors } from "./http/protocol-errors.js";
import type { Random } from "./rules/ports.js";
import type { Store } from "./store/store.js";
import { pooledRandom } from "./system.js";

/** What a server is made of. */
export interface ServerOptions {
  /** Where everything is kept. It stays the caller's: close it after the server. */
  readonly store: Store;
  readonly config: Config;
  /** Default: the system's random bytes. */
  readonly random?: Random;
  /** Default: none. */
  readonly logger?: Logger;
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
  const random = options.random ?? pooledRandom();
  let stopping = false;
  let url = "";
  const baseUrl = () => config.baseUrl ?? url;
  const docsUrl = () => config.docsUrl ?? `${baseUrl()}/docs`;

  const audit = new AuditTrail(store, logger);
  const housekeeper = new Housekeeper(store, logger);
  const app = expressApp(config);
  buildPipeline(app, {
    store,
    random,
    baseUrl,
    docsUrl,
    audit,
    logger,
    answer: answerer(audit, () => stopping),
    checkAnswers: config.checkAnswers,
    isStopping: () => stopping,
  });

  const server = httpServer(app);
  answerProtocolErrors(server, random, docsUrl);
  await listen(server, config);
  const { port } = server.address() as AddressInfo;
  url = `http://${hostForUrl(config.host)}:${port}`;
  housekeeper.start();

  const stop = async () => {
    stopping = true;
    housekeeper.stop();
    await closeServer(server, config.shutdownSeconds, logger);
    await audit.close();
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

function expressApp(config: Config): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag"); // or a 304 would survive no-store
  app.enable("strict routing");
  app.enable("case sensitive routing");
  app.set("query parser", "simple");
  app.set("trust proxy", config.trustProxy);
  return app;
}

function httpServer(app: Express): Server {
  const server = createServer(
    {
      requireHostHeader: false,
      requestTimeout: 30_000,
      headersTimeout: 20_000,
      keepAliveTimeout: 65_000,
    },
    app,
  );
  // The body step says 100 Continue, once the key is known to be good.
  server.on("checkContinue", (req, res) => {
    res.shouldKeepAlive = false;
    app(req as Request, res as Response);
  });
  server.on("checkExpectation", (req, res) => app(req as Request, res as Response));
  return server;
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

function hostForUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
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
