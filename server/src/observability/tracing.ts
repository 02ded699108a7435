import type { IncomingMessage } from "node:http";
import {
  type Attributes,
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
import { NodeSDK } from "@opentelemetry/sdk-node";
import type { Response } from "express";
import type { Logger } from "pino";
import { knownContext } from "../http/context.js";
import { type RequestObserver, requestOutcome, sentPath } from "../http/request-observer.js";
import { within } from "../lib/within.js";
import type { StoreObserver } from "./observed-store.js";

/** The time limit for sending the last spans when the service stops, in milliseconds. */
const maxShutdownMs = 5_000;

/**
 * Sends spans of requests and store operations to the address in the `OTEL_` settings, which OpenTelemetry's own SDK
 * reads. It belongs to the process, so only one service per process has traces. `storeSpans`: whether store operations
 * have spans. A span costs more than an operation of an embedded store.
 */
export function startTracing(logger: Logger, { storeSpans }: { readonly storeSpans: boolean }) {
  logErrors(logger);
  setResource(process.env);
  const sdk = new NodeSDK({
    instrumentations: [],
    ...(!storeSpans && { contextManager: noContext }),
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  const tracer = trace.getTracer("@queue-api/server");
  return {
    requests: tracedRequests(tracer),
    store: storeSpans ? tracedStore(tracer) : null,
    /** Sends the pending spans. */
    close: () => closed(sdk, logger),
  };
}

/**
 * Sets what all spans have in common through the settings that the SDK reads, because its releases differ in the
 * classes that they export for it. A name in the operator's own settings comes later, and wins.
 */
function setResource(env: NodeJS.ProcessEnv): void {
  const given = env.OTEL_RESOURCE_ATTRIBUTES;
  env.OTEL_RESOURCE_ATTRIBUTES = `service.name=queue-api${given ? `,${given}` : ""}`;
  // Without the process detector, because the command line may contain the password of a database.
  const detectors = (env.OTEL_NODE_RESOURCE_DETECTORS || "env,host")
    .split(",")
    .map((name) => name.trim())
    .flatMap((name) => (name === "all" ? ["env", "host", "os", "serviceinstance"] : [name]))
    .filter((name) => name !== "process");
  env.OTEL_NODE_RESOURCE_DETECTORS = detectors.join(",") || "none";
}

/** Without child spans no context is needed. Propagating it slows every promise on Node 20. */
const noContext: ContextManager = {
  active: () => ROOT_CONTEXT,
  with: (_context, go, self, ...given) => go.apply(self, given),
  bind: (_context, target) => target,
  enable: () => noContext,
  disable: () => noContext,
};

/** Creates a span for each request by the HTTP conventions, as a child of the span in `traceparent` if there is one. */
function tracedRequests(tracer: Tracer): RequestObserver {
  return (req, res, proceed) => {
    const parent = propagation.extract(ROOT_CONTEXT, req.headers);
    const kind = SpanKind.SERVER;
    const attributes = requestAttributes(req);
    const span = tracer.startSpan(spanMethod(req), { kind, attributes }, parent);
    if (!span.isRecording()) return proceed(); // not sampled, and neither are its children
    res.once("close", () => endRequest(span, req, res as Response));
    context.with(trace.setSpan(parent, span), proceed);
  };
}

/** The attributes at the arrival of a request. They do not contain its URL or headers, which a caller chooses. */
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

/** The name of a span with an unknown route, by the conventions. */
function spanMethod({ method = "" }: IncomingMessage): string {
  return knownMethods.has(method) ? method : "HTTP";
}

function endRequest(span: Span, req: IncomingMessage, res: Response): void {
  const { route, status, errorCode } = requestOutcome(req, res);
  if (route !== "unmatched") {
    const template = route.slice(route.indexOf(" ") + 1);
    span.updateName(`${spanMethod(req)} ${template}`);
    span.setAttributes({ "http.route": template, "url.path": reportedPath(template, req) });
  }
  const context = knownContext(res);
  if (context) {
    span.setAttribute("queue_api.request_id", context.requestId);
    span.setAttribute("client.address", context.address);
  }
  const keyId = context?.caller?.key.id;
  if (keyId !== undefined) span.setAttribute("queue_api.key_id", keyId);
  if (errorCode) span.setAttribute("queue_api.error_code", errorCode);
  if (status !== null) span.setAttribute("http.response.status_code", status);
  if (status === null || status >= 500) {
    span.setAttribute("error.type", status === null ? "aborted" : `${status}`);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

const identifier = /^[a-zA-Z0-9]{20,32}$/;

/** The path of a request. A parameter that does not have the form of an id is replaced by its name in the template. */
function reportedPath(template: string, req: IncomingMessage): string {
  const sent = sentPath(req).split("/");
  return template
    .split("/")
    .map((part, at) => (part.startsWith(":") && identifier.test(sent[at] ?? "") ? sent[at] : part))
    .join("/");
}

/** Creates a span for each store operation of a request, as a child of the request's span. */
function tracedStore(tracer: Tracer): StoreObserver {
  return (operation) => {
    if (!trace.getActiveSpan()) return untraced;
    const attributes = { "queue_api.store.operation": operation };
    const span = tracer.startSpan(`store ${operation}`, { kind: SpanKind.INTERNAL, attributes });
    return (error) => {
      if (error !== undefined) {
        span.setAttribute("error.type", error instanceof Error ? error.name : "unknown");
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    };
  };
}

const untraced = () => undefined;

/** Writes OpenTelemetry's errors to the log, for example if the collector cannot be reached. */
function logErrors(logger: Logger): void {
  // Some components of OpenTelemetry give their name before the message.
  const warn = (...parts: readonly unknown[]) => {
    const message = parts.filter((part) => typeof part === "string").join(": ");
    logger.warn({ message, err: parts.find((part) => part instanceof Error) }, "OpenTelemetry");
  };
  const quiet = () => undefined;
  diag.setLogger(
    { error: warn, warn, info: quiet, debug: quiet, verbose: quiet },
    DiagLogLevel.WARN,
  );
}

async function closed(sdk: NodeSDK, logger: Logger): Promise<void> {
  try {
    const sent = sdk.shutdown().then(() => true);
    if (!(await within(maxShutdownMs, sent, false))) throw new Error("sending took too long");
  } catch (error) {
    logger.warn({ err: error }, "the last spans could not be sent");
  }
}
