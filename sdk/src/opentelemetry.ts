import {
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { version } from "./generated/version.js";
import type { AttemptEvent, Hooks, ResponseEvent } from "./index.js";

/** The options of tracing. */
export interface TracingOptions {
  /** Creates the spans. Default: the tracer `@queue-api/sdk` of the global provider. */
  readonly tracer?: Tracer | undefined;
}

/**
 * Hooks that create a client span for each attempt, by the semantic conventions for HTTP, and propagate its
 * context in `traceparent`.
 *
 * @example
 * import { tracing } from "@queue-api/sdk/opentelemetry";
 * const api = new QueueApi({ hooks: tracing() });
 */
export function tracing(options: TracingOptions = {}): Hooks {
  const tracer = options.tracer ?? trace.getTracer("@queue-api/sdk", version);
  const spans = new Map<number, Span>(); // a call has one attempt at a time
  return {
    onRequest(event) {
      const span = startSpan(tracer, event);
      spans.set(event.callId, span);
      propagation.inject(trace.setSpan(context.active(), span), event, {
        set: ({ addHeader }, name, value) => addHeader(name, value),
      });
    },
    onResponse(event) {
      const span = spans.get(event.callId);
      spans.delete(event.callId);
      if (span) endSpan(span, event);
    },
    onWait({ callId, waitMs, reason }) {
      trace.getActiveSpan()?.addEvent("queue_api.wait", {
        "queue_api.call_id": callId,
        "queue_api.wait.reason": reason,
        "queue_api.wait.ms": Math.round(waitMs),
      });
    },
  };
}

function startSpan(tracer: Tracer, { method, route, url, attempt, operation }: AttemptEvent): Span {
  const { hostname, port, protocol } = new URL(url);
  const isTemplate = operation !== "request"; // whose path can have an id
  return tracer.startSpan(isTemplate ? `${method} ${route}` : method, {
    kind: SpanKind.CLIENT,
    attributes: {
      "http.request.method": method,
      "url.full": url,
      ...(isTemplate && { "url.template": route }),
      "server.address": hostname,
      "server.port": Number(port) || (protocol === "https:" ? 443 : 80),
      "queue_api.operation": operation,
      ...(attempt > 1 && { "http.request.resend_count": attempt - 1 }),
    },
  });
}

function endSpan(span: Span, { status, requestId, error }: ResponseEvent): void {
  if (status !== null) span.setAttribute("http.response.status_code", status);
  if (requestId !== null) span.setAttribute("queue_api.request_id", requestId);
  if (error) {
    span.setAttribute("error.type", status !== null && status >= 400 ? String(status) : error.name);
    span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
  }
  span.end();
}
