import { json } from "node:stream/consumers";
import { expect } from "vitest";
import { atEnd } from "../../support/at-end.js";
import { clinicWithIds } from "../../support/endpoints.js";
import { serveClinic } from "../../support/process.js";
import { served } from "../../support/served.js";

/** OTLP's numbers for a span's kind and status. */
export const kinds = { server: 2 };
export const statuses = { unset: 0 };

interface HasAttributes {
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { readonly stringValue?: string; readonly intValue?: number };
  }[];
}

interface SentSpan extends HasAttributes {
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code?: number };
}

/** What OpenTelemetry sends, as far as the tests read it. */
interface Exported {
  readonly resourceSpans: readonly {
    readonly resource: HasAttributes;
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

const plain = ({ attributes }: HasAttributes): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]),
  );

const spansOf = ({ resourceSpans }: Exported) =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map((span) => ({ ...span, attributes: plain(span), resource: plain(resource) })),
  );

/** A received span, with its attributes as plain values. */
type Span = ReturnType<typeof spansOf>[number];

/** Starts a trace collector that accepts OTLP over HTTP as JSON. */
async function startCollector() {
  const received: Exported[] = [];
  const url = await served(async (req, res) => {
    if (req.url === "/v1/traces") received.push((await json(req)) as Exported);
    res.writeHead(200, { "Content-Type": "application/json" }).end("{}");
  });
  const spans = () => received.flatMap(spansOf);
  return {
    url,
    spans,
    /** The only span of which this holds. */
    span(which: (span: Span) => boolean): Span {
      const found = spans().filter(which);
      const [span] = found;
      if (!span || found.length > 1) throw new Error(`${found.length} spans, and not one`);
      return span;
    },
    text: () => JSON.stringify(received),
  };
}

/** A traced server with a clinic. It sends its spans only when it stops. */
export async function traced(settings: Readonly<Record<string, string>>) {
  const collector = await startCollector();
  const { server, clinic } = await serveClinic(atEnd, clinicWithIds, {
    settings: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_SCHEDULE_DELAY: "3600000",
      ...settings,
    },
  });
  const stop = async () => {
    server.signal("SIGTERM");
    expect(await server.exited).toEqual({ code: 0, signal: null });
  };
  return { collector, server, clinic, stop };
}

export const named = (name: string) => (span: Span) => span.name === name;
