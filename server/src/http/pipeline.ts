import { type RouteMetadata, routes } from "@queue-api/contract";
import type { FlattenAppRouter } from "@ts-rest/core";
import { createExpressEndpoints, type TsRestRequestHandler } from "@ts-rest/express";
import type express from "express";
import type { Express, RequestHandler } from "express";
import type { Logger } from "pino";
import { appointmentEndpoints } from "../endpoints/appointments.js";
import type { EndpointDeps } from "../endpoints/deps.js";
import { entryEndpoints } from "../endpoints/entries.js";
import { meEndpoints } from "../endpoints/me.js";
import { publicEndpoints } from "../endpoints/public.js";
import { queueEndpoints } from "../endpoints/queues.js";
import { serviceEndpoints } from "../endpoints/services.js";
import type { KeyReleases } from "../store/key-releases.js";
import { admission } from "./admission.js";
import type { Answer } from "./answer.js";
import { checkAnswer } from "./answer-check.js";
import type { AuditTrail } from "./audit.js";
import { readBody } from "./body.js";
import type { ServeDocs } from "./docs.js";
import { errorAnswers } from "./errors.js";
import { type FairShare, fairTurn } from "./fair-share.js";
import { forwardedWarning } from "./forwarded-warning.js";
import { idempotent } from "./idempotency.js";
import { keyInUrl } from "./key-in-url.js";
import { notFound } from "./not-found.js";
import { addProbes } from "./probes.js";
import { requestId } from "./request-id.js";
import { requestLog } from "./request-log.js";
import { sandboxOnly } from "./sandbox-only.js";
import { requireScope } from "./scope.js";
import { inOrder } from "./steps.js";
import { wellFormed } from "./well-formed.js";

/** What the pipeline is made of. */
export interface PipelineDeps extends EndpointDeps {
  readonly answer: Answer;
  readonly audit: AuditTrail;
  readonly logger: Logger;
  readonly keyReleases: KeyReleases;
  /** Whether each answer is checked against the contract before it is sent. */
  readonly checkAnswers: boolean;
  /** Whether `TRUST_PROXY` says which proxies are believed, be it none. */
  readonly knowsProxies: boolean;
  /** Whether the service is stopping; then it is not ready any more. */
  readonly isStopping: () => boolean;
  /** Sees each request whose key was let in, and may refuse it. */
  readonly onAdmitted?: RequestHandler;
  /** Answers whatever is asked below `/dashboard`, where keys count for nothing. Default: nothing is there. */
  readonly dashboard?: RequestHandler;
  /** Answers `/`, `/docs` and what lies below it. Default: nothing is there. */
  readonly docs?: ServeDocs;
  /** Shares the event loop among the addresses that call. */
  readonly requestShare: FairShare;
  /** Answers `GET /metrics`. Default: nothing is there. */
  readonly metrics?: RequestHandler;
}

/**
 * The way of a request, in the order in which it goes. Nothing of a body is read before the key is
 * known to be good. The constant headers and the audit row come with the answer, in `answer.ts`.
 */
export function buildPipeline(app: Express, deps: PipelineDeps): void {
  const { store, random, audit, answer, logger } = deps;

  const warning = deps.knowsProxies ? [] : [forwardedWarning(logger)];
  const share = fairTurn(deps.requestShare);
  app.use(inOrder([requestId(random), requestLog(logger), ...warning, share, wellFormed]));
  addProbes(app, deps);
  if (deps.metrics) app.get("/metrics", deps.metrics);
  if (deps.dashboard) app.use("/dashboard", deps.dashboard);
  if (deps.docs) {
    const docs = deps.docs(() => ({ baseUrl: deps.baseUrl(), docsUrl: deps.docsUrl() }));
    app.get("/", docs);
    app.use("/docs", docs);
  }
  app.use(inOrder([keyInUrl(store), admission(store, audit), sandboxOnly]));
  if (deps.onAdmitted) app.use(deps.onAdmitted);

  const scopeThenBody: TsRestRequestHandler<FlattenAppRouter<typeof routes>> = (req, res, next) => {
    const route = req.tsRestRoute;
    res.locals.route = route;
    requireScope(route.metadata as RouteMetadata, res);
    const reading = readBody("body" in route, req as unknown as express.Request, res);
    if (reading) reading.then(() => next()).catch(next);
    else next();
  };

  const entries = entryEndpoints(deps);
  createExpressEndpoints<typeof routes>(
    routes,
    {
      me: meEndpoints(),
      services: serviceEndpoints(deps),
      queues: queueEndpoints(deps),
      entries: { ...entries, create: idempotent(deps, routes.entries.create, entries.create) },
      appointments: appointmentEndpoints(deps),
      public: publicEndpoints(deps),
    },
    app,
    {
      globalMiddleware: [scopeThenBody],
      requestValidationErrorHandler: (error, _req, _res, next) => next(error),
    },
  );

  app.use(notFound);
  app.use(errorAnswers(answer, deps.docsUrl, logger));

  // ts-rest hands each endpoint's answer to `res.json`; it leaves by the same door as every other one.
  app.response.json = function json(this: express.Response, body: unknown) {
    const isStored = this.hasHeader("Idempotent-Replay"); // perhaps before a field was added
    if (deps.checkAnswers && !isStored) checkAnswer(this.locals.route, this.statusCode, body);
    answer(this, this.statusCode, body);
    return this;
  };
}
