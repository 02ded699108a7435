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
import { contextOf, type EndpointInput } from "../endpoints/request-context.js";
import { serviceEndpoints } from "../endpoints/services.js";
import { admission } from "./admission.js";
import type { Answer } from "./answer.js";
import type { AuditTrail } from "./audit.js";
import { readBody } from "./body.js";
import { docsPaths, type ServeDocs } from "./docs.js";
import { errorAnswers } from "./errors.js";
import { type FairShare, fairTurn } from "./fair-share.js";
import { idempotent } from "./idempotency.js";
import { keyInUrl } from "./leaked-keys.js";
import { addProbes } from "./operator-endpoints.js";
import { forwardedWarning, sandboxOnly, wellFormed } from "./request-headers.js";
import { requestId, requestLog } from "./request-log.js";
import { notFound, requireScope } from "./routes.js";
import { inOrder, type Step } from "./steps.js";
import { checkAnswer, validate } from "./validation.js";

/** The parts that the pipeline is built from. */
export interface PipelineDeps extends EndpointDeps {
  readonly answer: Answer;
  readonly audit: AuditTrail;
  readonly logger: Logger;
  /** Whether each response is checked against the contract before it is sent. */
  readonly checkAnswers: boolean;
  /** Whether `TRUST_PROXY` is set, including to 0. */
  readonly knowsProxies: boolean;
  /** Whether the service is stopping. It then reports that it is not ready. */
  readonly isStopping: () => boolean;
  /** Replaces the endpoint of each route. Default: the endpoint itself. */
  readonly intercept?: (route: AppRoute, endpoint: Endpoint) => Endpoint;
  /** Handles every request below `/dashboard`, which does not accept API keys, in the URL either. Default: 404. */
  readonly dashboard?: RequestHandler;
  /** Handles `/`, `/docs` and the pages below it. Default: 404. */
  readonly docs?: ServeDocs;
  /** Shares the event loop among client addresses. */
  readonly requestShare: FairShare;
  /** Handles `GET /metrics`. Default: 404. */
  readonly metrics?: RequestHandler;
}

/**
 * Adds the steps of a request in order. No body is read before the key is known to be valid. `answer.ts` adds the
 * constant headers and the audit row; `errors.ts` turns an error that a step throws into a response.
 */
export function buildPipeline(app: Express, deps: PipelineDeps): void {
  const { store, random, audit, answer, logger, docsUrl } = deps;
  const { intercept = (_route, endpoint) => endpoint } = deps;

  app.use(
    inOrder([
      requestId(random),
      requestLog(logger),
      ...(deps.knowsProxies ? [] : [forwardedWarning(logger)]),
      fairTurn(deps.requestShare),
      wellFormed,
    ]),
  );
  if (deps.dashboard) app.use("/dashboard", deps.dashboard);
  app.use(inOrder([keyInUrl(store)]));
  addOtherPages(app, deps);
  app.use(inOrder([admission(store, audit), sandboxOnly]));
  for (const { route, endpoint } of apiEndpoints(deps)) {
    app[route.method === "POST" ? "post" : "get"](
      route.path,
      inOrder(
        [
          noteRoute(route),
          requireScope(route),
          readBody(route),
          validate(route),
          callEndpoint(
            route,
            intercept(
              route,
              route === routes.entries.create ? idempotent(route, endpoint) : endpoint,
            ),
            deps,
          ),
        ],
        { answers: true },
      ),
    );
  }
  app.use(notFound);
  app.use(errorAnswers(answer, docsUrl, logger));
}

/** Adds the other pages outside the API: probes, metrics, the reference. */
function addOtherPages(app: Express, deps: PipelineDeps): void {
  addProbes(app, deps);
  if (deps.metrics) app.get("/metrics", deps.metrics);
  if (deps.docs) {
    const docs = deps.docs(() => ({ baseUrl: deps.baseUrl(), docsUrl: deps.docsUrl() }));
    app.get(docsPaths, docs);
    app.use("/docs", docs);
  }
}

/** The handler of a route. The contract types it for each route. */
type Endpoint = (
  input: EndpointInput & { readonly req: Request; readonly res: Response },
) => Promise<{ readonly status: number; readonly body: unknown }>;

/** Every route of the contract with its endpoint, in the order of the document. */
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
    contextOf(res).route = route;
  };
}

/** Calls an endpoint with the validated input, and sends its response. */
function callEndpoint(
  route: AppRoute,
  endpoint: Endpoint,
  { answer, checkAnswers }: Pick<PipelineDeps, "answer" | "checkAnswers">,
): Step {
  return async (req, res) => {
    const { input } = contextOf(res);
    if (!input) throw new Error("an endpoint was reached without validation");
    const { status, body } = await endpoint({ req, res, ...input });
    const isStored = res.hasHeader("Idempotent-Replay"); // possibly by an earlier version without a newer field
    if (checkAnswers && !isStored) checkAnswer(route, status, body);
    answer(res, status, body);
  };
}
