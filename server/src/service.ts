import { createServer, type Server } from "node:http";
import { parse as parseQuery } from "node:querystring";
import { arrivalSeconds } from "@queue-api/contract";
import express, { type Express } from "express";
import { type Logger, pino } from "pino";
import type { Config } from "./config.js";
import { allEndpoints } from "./endpoints/endpoints.js";
import { AuditTrail } from "./http/audit-trail.js";
import { Connections } from "./http/connections.js";
import { buildPipeline, type PipelineDeps } from "./http/pipeline.js";
import { respondToProtocolErrors } from "./http/protocol-errors.js";
import type { RequestObserver } from "./http/request-observer.js";
import { pathOfTarget } from "./http/request-target.js";
import { systemRandom } from "./lib/system.js";
import type { Store } from "./operations/store.js";
import { trustedProxies } from "./rules/address.js";
import type { Random } from "./rules/ports.js";

/** The options of {@link buildService}. */
export interface ServiceOptions {
  /** Holds all data. The caller closes it, after the service. */
  readonly store: Store;
  readonly config: Config;
  /** Default: the system's random bytes. */
  readonly random?: Random;
  /** Default: none. */
  readonly logger?: Logger;
}

/** How the service is embedded: the address, pages and observers that surround its pipeline. */
export interface ServiceRuntime
  extends Pick<PipelineDeps, "baseUrl" | "intercept" | "dashboard" | "docs" | "metrics"> {
  /** How long the audit row of a read may wait for a batch, in milliseconds; 0 stores it at once. Default 250. */
  readonly flushAuditEveryMs?: number;
  /** Observes every request from its arrival to its end. Default: none. */
  readonly observe?: RequestObserver;
  /** See {@link PipelineDeps}. Default true. */
  readonly sharesFairly?: boolean;
}

/** The current load of a service. */
export interface ServiceLoad {
  /** Requests that have begun and have no response yet. */
  readonly requestsUnderWay: number;
  readonly connections: number;
  /** Audit rows that are not stored yet. */
  readonly auditRowsPending: number;
}

/**
 * Builds the service from its configuration, its store and its source of random bytes, with an HTTP server that does not
 * listen yet.
 */
export function buildService(
  { store, config, ...options }: ServiceOptions,
  { baseUrl, flushAuditEveryMs, observe, sharesFairly = true, ...runtime }: ServiceRuntime,
) {
  const logger = options.logger ?? pino({ level: "silent" });
  const random = options.random ?? systemRandom;
  const docsUrl = () => config.docsUrl ?? `${baseUrl()}/docs`;
  let stopping = false;

  const audit = new AuditTrail(store, logger, flushAuditEveryMs);
  const app = expressApp(config);
  buildPipeline(app, {
    store,
    random,
    baseUrl,
    docsUrl,
    audit,
    logger,
    endpoints: allEndpoints({ store, random, baseUrl, docsUrl }),
    checkAnswers: config.checkAnswers,
    knowsProxies: typeof config.trustProxy === "number" || config.trustProxy.length > 0,
    isStopping: () => stopping,
    sharesFairly,
    ...runtime,
  });
  const server = httpServer();
  const isTrusted = app.get("trust proxy fn") as (address: string, hop: number) => boolean;
  const connections = new Connections(
    {
      inAll: config.maxConnections,
      perAddress: config.maxConnectionsPerAddress,
      isTrustedProxy: (address) => isTrusted(address, 0),
    },
    (req, res) => {
      req.url = pathOfTarget(req.url ?? "");
      if (observe) observe(req, res, () => app(req, res));
      else app(req, res);
    },
  );
  connections.attach(server);
  respondToProtocolErrors(server, connections, random, docsUrl);

  return {
    server,
    load: (): ServiceLoad => ({
      requestsUnderWay: connections.requestsUnderWay,
      connections: connections.count,
      auditRowsPending: audit.pending,
    }),
    /** Makes the service report that it is not ready. From now on each response ends its connection. */
    beginStop: () => {
      stopping = true;
      connections.endAfterResponses();
    },
    /** Ends the connections that never carried a request. */
    endUnused: () => connections.endUnused(),
    /** Stores the pending audit rows. Call it after the last request. */
    endStop: async () => {
      await connections.allAnswered(maxEndMs);
      await audit.close();
    },
  };
}

function expressApp(config: Config): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag"); // with it, Express sends 304 despite no-store
  Object.defineProperty(app.request, "fresh", { value: false }); // and without it, to `If-None-Match: *`
  app.enable("strict routing");
  app.enable("case sensitive routing");
  app.set("query parser", wholeQuery);
  app.set("trust proxy", trustedProxies(config.trustProxy));
  return app;
}

/** All parameters of a query. By default, Node drops those after the 1,000th. */
function wholeQuery(query: string | undefined) {
  return parseQuery(query ?? "", "&", "=", { maxKeys: 0 });
}

/** How long {@link Service.endStop} waits for requests whose connection is closed. */
const maxEndMs = 5_000;

/** How long a connection may be idle while its response is not sent or not read. */
const maxSilenceMs = 60_000;

function httpServer(): Server {
  const server = createServer({
    requireHostHeader: false,
    maxHeaderSize: 16 * 2 ** 10,
    headersTimeout: arrivalSeconds.headers * 1_000,
    requestTimeout: arrivalSeconds.headersAndBody * 1_000,
    connectionsCheckingInterval: 1_000, // the precision of both timeouts
    keepAliveTimeout: 65_000,
  });
  server.timeout = maxSilenceMs;
  server.maxHeadersCount = 0; // no limit but their size. By default, Node drops those after the 1,000th
  return server;
}
