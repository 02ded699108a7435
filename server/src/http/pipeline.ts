import { isDeepStrictEqual } from "node:util";
import { type RouteMetadata, routes } from "@queue-api/contract";
import type { AppRoute } from "@ts-rest/core";
import { createExpressEndpoints } from "@ts-rest/express";
import type { Express, Request, RequestHandler, Response } from "express";
import type { Logger } from "pino";
import type { z } from "zod";
import type { Store } from "../operations/store.js";
import type { Random } from "../rules/ports.js";
import { admission } from "./admission.js";
import type { AuditTrail } from "./audit-trail.js";
import { readBody } from "./body.js";
import { requestContext } from "./context.js";
import { docsPaths, type ServeDocs } from "./docs.js";
import { errorResponses } from "./error-responses.js";
import { fairTurn } from "./fair-share.js";
import { constantHeaders } from "./headers.js";
import { keyInUrl } from "./leaked-keys.js";
import { addProbes } from "./operator-endpoints.js";
import { forwardedWarning, sandboxOnly, wellFormed } from "./request-headers.js";
import { requestLog } from "./request-log.js";
import { decodablePath } from "./request-target.js";
import { notFound, requireScope } from "./routes.js";
import { refuseInvalid } from "./validation.js";

/** The endpoint of each route of the contract. */
export type Endpoints = Parameters<typeof createExpressEndpoints<typeof routes>>[1];

/** The endpoint of any route. The contract types it for each route. */
type Endpoint = (input: {
  readonly params: Readonly<Record<string, string>>;
  readonly query: { readonly date?: string };
  readonly body: unknown;
  readonly req: Request;
  readonly res: Response;
}) => Promise<{ readonly status: number; readonly body: unknown }>;

/** The parts that the pipeline is built from. */
export interface PipelineDeps {
  readonly store: Store;
  readonly random: Random;
  readonly endpoints: Endpoints;
  readonly audit: AuditTrail;
  readonly logger: Logger;
  /** The URL of the service, without a trailing slash. */
  readonly baseUrl: () => string;
  /** The URL of the developer reference, without a trailing slash. */
  readonly docsUrl: () => string;
  /** Whether each response is checked against the contract before it is sent. */
  readonly checkAnswers: boolean;
  /** Whether `TRUST_PROXY` is set, including to 0. */
  readonly knowsProxies: boolean;
  /** Whether the service is stopping. It then reports that it is not ready. */
  readonly isStopping: () => boolean;
  /** Replaces the endpoint of each route. It gets only requests that passed every check. Default: the endpoint itself. */
  readonly intercept?: (route: AppRoute, endpoint: Endpoint) => Endpoint;
  /** Handles every request below `/dashboard`, also one with an API key in its URL, and ends each response. Default: 404. */
  readonly dashboard?: RequestHandler;
  /** Handles `/`, `/docs` and the pages below it. Default: 404. */
  readonly docs?: ServeDocs;
  /** Whether client addresses share the event loop fairly. This needs timers. */
  readonly sharesFairly: boolean;
  /** Handles `GET /metrics`. Default: 404. */
  readonly metrics?: RequestHandler;
}

/**
 * Adds the middleware of a request in order. No body is read before the key is known to be valid. `error-responses.ts`
 * turns any error that it throws into a response.
 */
export function buildPipeline(app: Express, deps: PipelineDeps): void {
  const { store, audit, logger, docsUrl } = deps;

  app.use(requestContext(deps.random));
  if (logger.isLevelEnabled("debug")) app.use(requestLog(logger));
  if (!deps.knowsProxies) app.use(forwardedWarning(logger));
  if (deps.sharesFairly) app.use(fairTurn());
  app.use(constantHeaders, wellFormed);
  if (deps.dashboard) app.use("/dashboard", deps.dashboard);
  app.use(keyInUrl(store));
  addOtherPages(app, deps);
  app.use(admission(store, audit), sandboxOnly, decodablePath);
  createExpressEndpoints(routes, changedEndpoints(deps), app, {
    logInitialization: false,
    globalMiddleware: [requireScope, readBody],
    requestValidationErrorHandler: refuseInvalid,
  });
  app.use(notFound);
  app.use(errorResponses(docsUrl, logger));
}

/** Adds the other pages outside the API: probes, metrics, the reference. */
function addOtherPages(app: Express, deps: PipelineDeps): void {
  addProbes(app, deps);
  if (deps.metrics) app.get("/metrics", deps.metrics);
  if (deps.docs) {
    const docs = deps.docs(deps);
    app.get(docsPaths, docs);
    app.use("/docs", docs);
  }
}

/** The endpoints as the options ask: intercepted, and with their responses checked. */
function changedEndpoints({ endpoints, intercept, checkAnswers }: PipelineDeps): Endpoints {
  const changed = (route: AppRoute, endpoint: Endpoint) => {
    const own = intercept?.(route, endpoint) ?? endpoint;
    return checkAnswers ? checked(route, own) : own;
  };
  const nouns = Object.entries(routes).map(([noun, members]) => {
    const own = endpoints[noun as keyof Endpoints] as Readonly<Record<string, unknown>>;
    const entries = Object.entries(members).map(([name, route]) => {
      return [name, changed(route, own[name] as Endpoint)];
    });
    return [noun, Object.fromEntries(entries)];
  });
  return Object.fromEntries(nouns) as Endpoints;
}

/**
 * Checks each response against the contract. The check of ts-rest lets an undeclared status pass, and leaves out a field
 * that its schema lacks, which without the check would be sent.
 */
function checked(route: AppRoute, endpoint: Endpoint): Endpoint {
  const { operationId } = route.metadata as RouteMetadata;
  const schemas = route.responses as Readonly<Record<number, z.ZodType | undefined>>;
  return async (input) => {
    const response = await endpoint(input);
    const schema = schemas[response.status];
    if (!schema) throw new Error(`${operationId} must not respond with ${response.status}`);
    if (!isDeepStrictEqual(schema.parse(response.body), response.body)) {
      throw new Error(`${operationId} must not respond with a field that its schema lacks`);
    }
    return response;
  };
}
