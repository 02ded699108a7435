import type { IncomingMessage } from "node:http";
import {
  type Attributes,
  type Context,
  type ContextManager,
  context,
  DiagLogLevel,
  diag,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { NodeSDK, resources } from "@opentelemetry/sdk-node";
import type { Response } from "express";
import type { Logger } from "pino";
import { knownContext } from "../endpoints/request-context.js";
import type { RequestObserver } from "../http/request-observer.js";
import { outcomeOf, sentPath } from "../http/request-observer.js";
import type { StoreObserver } from "./observed-store.js";

/** How long the last spans may take to be sent when the service stops, in milliseconds. */
const longestShutdownMs = 5_000;

/** Spans of requests and of the store's steps, sent where the OTEL_ settings say. */
export interface Tracing {
  readonly requests: RequestObserver;
  /** Null when the store's steps have no spans. */
  readonly store: StoreObserver | null;
  /** Sends what is pending. */
  close(): Promise<void>;
}

/**
 * Starts OpenTelemetry's own SDK, which reads every `OTEL_` setting that concerns traces. It is the
 * process's: one service a process traces. `steps`: whether the store's steps have spans. A span, and
 * following a request to it, costs more than a step of an embedded store itself.
 */
export function startTracing(logger: Logger, { steps }: { readonly steps: boolean }): Tracing {
  reportTrouble(logger);
  const sdk = new NodeSDK({
    resource: resources.resourceFromAttributes({ "service.name": "queue-api" }),
    // Not the process: its command line may hold the password of a database.
    resourceDetectors: [resources.envDetector, resources.hostDetector],
    instrumentations: [],
    ...(!steps && { contextManager: noContext }),
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  const tracer = trace.getTracer("@queue-api/server");
  return {
    requests: tracedRequests(tracer, steps ? below : alone),
    store: steps ? tracedStore(tracer) : null,
    close: () => closed(sdk, logger),
  };
}

/** Where nothing has a span below another, no request need be followed, which on Node 20 slows every promise. */
const noContext: ContextManager = {
  active: () => ROOT_CONTEXT,
  with: (_context, go, self, ...given) => go.apply(self, given),
  bind: (_context, target) => target,
  enable: () => noContext,
  disable: () => noContext,
};

/** How a request goes on once it has a span: with spans below that one, or without. */
type GoOn = (parent: Context, span: Span, proceed: () => void) => void;

const below: GoOn = (parent, span, proceed) => context.with(trace.setSpan(parent, span), proceed);
const alone: GoOn = (_parent, _span, proceed) => proceed();

/** A span a request, by the HTTP conventions, below the caller's where `traceparent` names one. */
function tracedRequests(tracer: Tracer, goOn: GoOn): RequestObserver {
  return (req, res, proceed) => {
    const parent = propagation.extract(ROOT_CONTEXT, req.headers);
    const kind = SpanKind.SERVER;
    const attributes = requestAttributes(req);
    const span = tracer.startSpan(spanMethod(req), { kind, attributes }, parent);
    if (!span.isRecording()) return proceed(); // not sampled: nothing below it is either
    res.once("close", () => endRequest(span, req, res as Response));
    goOn(parent, span, proceed);
  };
}

/** What is known when a request comes. Never its URL or a header, where a caller may put anything. */
function requestAttributes(req: IncomingMessage): Attributes {
  const method = req.method ?? "";
  return {
    "http.request.method": knownMethods.has(method) ? method : "_OTHER",
    "url.scheme": "http",
    "network.protocol.version": req.httpVersion,
    ...(req.socket.localPort !== undefined && { "server.port": req.socket.localPort }),
  };
}

const knownMethods = new Set("GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH".split(" "));

/** The name of a span whose route is not known, as the conventions say. */
function spanMethod({ method = "" }: IncomingMessage): string {
  return knownMethods.has(method) ? method : "HTTP";
}

function endRequest(span: Span, req: IncomingMessage, res: Response): void {
  const { route, status, refusal } = outcomeOf(req, res);
  if (route !== "unmatched") {
    const template = route.slice(route.indexOf(" ") + 1);
    span.updateName(`${spanMethod(req)} ${template}`);
    span.setAttributes({ "http.route": template, "url.path": shownPath(template, req) });
  }
  const context = knownContext(res);
  if (context) {
    span.setAttribute("queue_api.request_id", context.requestId);
    span.setAttribute("client.address", context.address);
  }
  const keyId = context?.caller?.key.id;
  if (keyId !== undefined) span.setAttribute("queue_api.key_id", keyId);
  if (refusal) span.setAttribute("queue_api.error_code", refusal);
  if (status !== null) span.setAttribute("http.response.status_code", status);
  if (status === null || status >= 500) {
    span.setAttribute("error.type", status === null ? "aborted" : `${status}`);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

const identifier = /^[a-zA-Z0-9]{20,32}$/;

/** The path with what has the form of an id in it, and the template's name for whatever has not. */
function shownPath(template: string, req: IncomingMessage): string {
  const sent = sentPath(req).split("/");
  return template
    .split("/")
    .map((part, at) => (part.startsWith(":") && identifier.test(sent[at] ?? "") ? sent[at] : part))
    .join("/");
}

/** A span a step of the store, below that of its request. Steps that belong to none have no span. */
function tracedStore(tracer: Tracer): StoreObserver {
  return (operation) => {
    if (!trace.getActiveSpan()) return untraced;
    const attributes = { "queue_api.store.operation": operation };
    const span = tracer.startSpan(`store ${operation}`, { kind: SpanKind.INTERNAL, attributes });
    return (failure) => {
      if (failure !== undefined) {
        span.setAttribute("error.type", failure instanceof Error ? failure.name : "unknown");
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    };
  };
}

const untraced = () => undefined;

/** What OpenTelemetry complains of, a collector that is away for instance, goes into our log. */
function reportTrouble(logger: Logger): void {
  const warn = (message: string) => logger.warn({ message }, "OpenTelemetry");
  const quiet = () => undefined;
  diag.setLogger(
    { error: warn, warn, info: quiet, debug: quiet, verbose: quiet },
    DiagLogLevel.WARN,
  );
}

async function closed(sdk: NodeSDK, logger: Logger): Promise<void> {
  let limit: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    limit = setTimeout(() => reject(new Error("it took too long")), longestShutdownMs);
  });
  try {
    await Promise.race([sdk.shutdown(), tooLong]);
  } catch (error) {
    logger.warn({ err: error }, "the last spans could not be sent");
  } finally {
    clearTimeout(limit);
  }
}
