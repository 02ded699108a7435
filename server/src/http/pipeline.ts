import { routes } from "@queue-api/contract";
import type { AppRoute } from "@ts-rest/core";
import { initServer } from "@ts-rest/express";
import type { Express, Request, RequestHandler, Response } from "express";
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
import { type EndpointInput, exchangeOf } from "./exchange.js";
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
import { inOrder, type Step } from "./steps.js";
import { validate } from "./validation.js";
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
 * The way of a request, in the order in which it goes. Nothing of a body is read before the key is known to be
 * good. The constant headers and the audit row come with the answer, in `answer.ts`; what a step throws becomes an
 * answer in `errors.ts`.
 */
export function buildPipeline(app: Express, deps: PipelineDeps): void {
  const { store, random, audit, answer, logger, docsUrl } = deps;

  app.use(
    inOrder([
      requestId(random),
      requestLog(logger),
      ...(deps.knowsProxies ? [] : [forwardedWarning(logger)]),
      fairTurn(deps.requestShare),
      wellFormed,
    ]),
  );
  addOtherPages(app, deps);
  app.use(inOrder([keyInUrl(store), admission(store, audit), sandboxOnly]));
  if (deps.onAdmitted) app.use(deps.onAdmitted);
  for (const { route, endpoint } of apiEndpoints(deps)) {
    app[route.method === "POST" ? "post" : "get"](
      route.path,
      inOrder(
        [
          noteRoute(route),
          requireScope(route),
          readBody(route),
          validate(route),
          route === routes.entries.create
            ? callEndpoint(route, idempotent(deps, route, endpoint), deps)
            : callEndpoint(route, endpoint, deps),
        ],
        { answers: true },
      ),
    );
  }
  app.use(notFound);
  app.use(errorAnswers(answer, docsUrl, logger));
}

/** What serves people and machines around the API: probes, metrics, the dashboard, the reference. */
function addOtherPages(app: Express, deps: PipelineDeps): void {
  addProbes(app, deps);
  if (deps.metrics) app.get("/metrics", deps.metrics);
  if (deps.dashboard) app.use("/dashboard", deps.dashboard);
  if (deps.docs) {
    const docs = deps.docs(() => ({ baseUrl: deps.baseUrl(), docsUrl: deps.docsUrl() }));
    app.get("/", docs);
    app.use("/docs", docs);
  }
}

/** What answers a route, as the contract types it for each. */
type Endpoint = (
  input: EndpointInput & { readonly req: Request; readonly res: Response },
) => Promise<{ readonly status: number; readonly body: unknown }>;

/** Every route of the contract with what answers it, in the order of the document. */
function apiEndpoints(deps: EndpointDeps): { route: AppRoute; endpoint: Endpoint }[] {
  const implemented = initServer().router(routes, {
    me: meEndpoints(),
    services: serviceEndpoints(deps),
    queues: queueEndpoints(deps),
    entries: entryEndpoints(deps),
    appointments: appointmentEndpoints(deps),
    public: publicEndpoints(deps),
  });
  return Object.entries(routes).flatMap(([noun, members]) => {
    const endpoints = implemented[noun as keyof typeof routes] as Record<string, unknown>;
    return Object.entries(members).map(([name, route]) => ({
      route: route as AppRoute,
      endpoint: endpoints[name] as Endpoint,
    }));
  });
}

function noteRoute(route: AppRoute): Step {
  return (_req, res) => {
    exchangeOf(res).route = route;
    return undefined;
  };
}

/** Calls an endpoint with what was validated, and sends what it answers. */
function callEndpoint(
  route: AppRoute,
  endpoint: Endpoint,
  { answer, checkAnswers }: Pick<PipelineDeps, "answer" | "checkAnswers">,
): Step {
  return async (req, res) => {
    const { input } = exchangeOf(res);
    if (!input) throw new Error("an endpoint was reached without validation");
    const { status, body } = await endpoint({ ...input, req, res });
    const isStored = res.hasHeader("Idempotent-Replay"); // perhaps before a field was added
    if (checkAnswers && !isStored) checkAnswer(route, status, body);
    answer(res, status, body);
  };
}
