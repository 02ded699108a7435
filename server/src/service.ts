import { createServer, type RequestListener, type Server } from "node:http";
import { arrivalSeconds } from "@queue-api/contract";
import express, { type Express, type Request, type RequestHandler, type Response } from "express";
import { type Logger, pino } from "pino";
import type { Config } from "./config.js";
import { answerer } from "./http/answer.js";
import { AuditTrail } from "./http/audit.js";
import { Connections } from "./http/connections.js";
import type { ServeDocs } from "./http/docs.js";
import { eventLoopShares } from "./http/fair-share.js";
import type { RequestObserver } from "./http/observer.js";
import { buildPipeline } from "./http/pipeline.js";
import { answerProtocolErrors } from "./http/protocol-errors.js";
import type { Random } from "./rules/ports.js";
import { KeyReleases } from "./store/key-releases.js";
import type { Store } from "./store/store.js";
import { pooledRandom } from "./system.js";

/** What the service is made of. */
export interface ServiceOptions {
  /** Where everything is kept. It stays the caller's: close it after the service. */
  readonly store: Store;
  readonly config: Config;
  /** Default: the system's random bytes. */
  readonly random?: Random;
  /** Default: none. */
  readonly logger?: Logger;
}

/** What only those who build the service around a server of their own say. */
export interface ServiceSurroundings {
  /** Address of the service, without a slash at the end. */
  readonly baseUrl: () => string;
  /** Sees each request whose key was let in, and may refuse it. Default: nobody does. */
  readonly onAdmitted?: RequestHandler;
  /** How long an audit row of a read may wait for others, in milliseconds; 0 for not at all. Default 250. */
  readonly flushAuditEveryMs?: number;
  /** Answers whatever is asked below `/dashboard`, and ends every answer. Default: nothing is there. */
  readonly dashboard?: RequestHandler;
  /** Answers `/`, `/docs` and what lies below it. Default: nothing is there. */
  readonly docs?: ServeDocs;
  /** Watches every request from when it comes until it is through. Default: nobody does. */
  readonly observe?: RequestObserver;
  /** Answers `GET /metrics`. Default: nothing is there. */
  readonly metrics?: RequestHandler;
  /** Whether addresses share the event loop fairly, which needs timers. Default true. */
  readonly sharesFairly?: boolean;
}

/** How much a service has on its hands. */
export interface ServiceLoad {
  /** Requests that have begun and are not answered yet. */
  readonly requestsUnderWay: number;
  /** Connections that are open. */
  readonly connections: number;
  /** Audit rows that are not kept yet. */
  readonly auditRowsPending: number;
}

/** The whole service in a server that takes requests, but listens nowhere by itself. */
export interface Service {
  readonly server: Server;
  load(): Promise<ServiceLoad>;
  /** From now on the service is not ready, and each answer ends its connection. */
  beginStop(): void;
  /** Ends the connections on which no request has come yet. */
  endUnused(): void;
  /** Lets go of keys and keeps the audit rows that are pending. For after the last request. */
  endStop(): Promise<void>;
}

/** Wires config, clock, random and a store into a server. */
export function buildService(
  { store, config, ...options }: ServiceOptions,
  {
    baseUrl,
    flushAuditEveryMs,
    observe,
    sharesFairly = true,
    ...surroundings
  }: ServiceSurroundings,
): Service {
  const logger = options.logger ?? pino({ level: "silent" });
  const random = options.random ?? pooledRandom();
  const docsUrl = () => config.docsUrl ?? `${baseUrl()}/docs`;
  let stopping = false;

  const audit = new AuditTrail(store, logger, flushAuditEveryMs);
  const keyReleases = new KeyReleases(store, logger);
  const send = answerer(audit, () => stopping);
  const app = expressApp(config);
  const shares = eventLoopShares({ isFair: sharesFairly });
  buildPipeline(app, {
    store,
    random,
    baseUrl,
    docsUrl,
    audit,
    logger,
    keyReleases,
    answer: send,
    checkAnswers: config.checkAnswers,
    knowsProxies: typeof config.trustProxy === "number" || config.trustProxy.length > 0,
    isStopping: () => stopping,
    requestShare: shares.requests,
    ...surroundings,
  });
  const handle: RequestListener = (req, res) => {
    if (stopping) res.shouldKeepAlive = false;
    app(req as Request, res as Response);
  };
  const server = httpServer();
  const isTrusted = app.get("trust proxy fn") as (address: string, hop: number) => boolean;
  const connections = new Connections(
    {
      inAll: config.maxConnections,
      perAddress: config.maxConnectionsPerAddress,
      isTrustedProxy: (address) => isTrusted(address, 0),
    },
    shares.reads,
    observe ? (req, res) => observe(req, res, () => handle(req, res)) : handle,
  );
  connections.attach(server);
  answerProtocolErrors(server, connections, random, docsUrl);

  return {
    server,
    load: async () => ({
      requestsUnderWay: connections.requestsUnderWay,
      connections: await connectionsOf(server),
      auditRowsPending: audit.pending,
    }),
    beginStop: () => {
      stopping = true;
    },
    endUnused: () => connections.endUnused(),
    endStop: async () => {
      await connections.allAnswered(longestEndMs);
      await keyReleases.close();
      await audit.close();
    },
  };
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
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

/** How long a request may still be busy with the store when its connection is gone. */
const longestEndMs = 5_000;

/** How long nothing may move on a connection that is owed an answer, or does not take it. */
const longestSilenceMs = 60_000;

function httpServer(): Server {
  const server = createServer({
    requireHostHeader: false,
    headersTimeout: arrivalSeconds.headers * 1_000,
    requestTimeout: arrivalSeconds.headersAndBody * 1_000,
    connectionsCheckingInterval: 1_000, // how exactly both are kept
    keepAliveTimeout: 65_000,
  });
  server.timeout = longestSilenceMs;
  return server;
}
